#include "runtime/artifacts/pair_counts_group.h"

#include <gtest/gtest.h>

#include "runtime/artifacts/provenance.h"
#include "tests/support/expect_input_error.h"

namespace outrider::artifacts {
namespace {

using Numbers = std::vector<std::int32_t>;

struct Datasets {
  Numbers occurrences = {10, 20, 0, 10}, pairs = {2, 0, 0, 1}, tokens = {1, 3, 1},
          counts = {8, 1, 4};
};

ArtifactFile file_of(const std::function<void(hdf5::Writer&)>& fill) {
  hdf5::Writer file;
  write_target({"m.gguf", "01", "23", 4, 8, 2}, file);
  fill(file);
  return ArtifactFile(hdf5::Reader(file.finish(), "f.h5"));
}

ArtifactFile file_of(const Datasets& datasets) {
  return file_of([&](hdf5::Writer& file) {
    const auto add = [&](const std::string& name, const Numbers& numbers) {
      file.add<std::int32_t>(kPairCounts + name, {numbers.size()}, numbers, hdf5::Packing::kPlain);
    };
    add("/occurrences", datasets.occurrences);
    add("/pairs", datasets.pairs);
    add("/tokens", datasets.tokens);
    add("/counts", datasets.counts);
  });
}

TEST(PairCountsGroup, GivesBackWhatWasWritten) {
  const draft::PairCounts written({10, 20, 0, 10}, {{0, 1, 8}, {0, 3, 1}, {3, 1, 4}});
  const draft::PairCounts found = read_pair_counts(
      file_of([&](hdf5::Writer& file) { write_pair_counts(written, file, kPairCounts); }));
  EXPECT_EQ(found.occurrences(), written.occurrences());
  EXPECT_EQ(found.size(), 3U);
  for (const Token before : {0, 1, 2, 3})
    for (const Token token : {0, 1, 2, 3})
      EXPECT_EQ(found.gain(before, token), written.gain(before, token));
  EXPECT_EQ(read_pair_counts(file_of(Datasets{})).gain(3, 1), written.gain(3, 1));
}

TEST(PairCountsGroup, RefusesWhatMakesNoSense) {
  const auto refused = [](const std::string& why, auto change) {
    Datasets datasets;
    change(datasets);
    test::expect_input_error([&] { read_pair_counts(file_of(datasets)); }, "f.h5", why);
  };
  refused("/occurrences", [](Datasets& all) { all.occurrences.pop_back(); });
  refused("/occurrences: expected 0 to", [](Datasets& all) { all.occurrences[1] = -1; });
  refused("/pairs: has more pairs", [](Datasets& all) { all.pairs[3] = 2; });
  refused("/pairs: expected 3 pairs, found 2", [](Datasets& all) { all.pairs[3] = 0; });
  refused("/pairs: expected 0 to", [](Datasets& all) { all.pairs[2] = -1; });
  refused("/tokens: expected tokens below 4, found 4", [](Datasets& all) { all.tokens[1] = 4; });
  refused("/tokens: expected the tokens after a token in ascending order",
          [](Datasets& all) { all.tokens[1] = 1; });
  refused("/counts: expected 1 to", [](Datasets& all) { all.counts[1] = 0; });
  refused("/counts: a pair is more frequent", [](Datasets& all) { all.counts[0] = 11; });
  refused("/counts", [](Datasets& all) { all.counts.push_back(1); });
}

}  // namespace
}  // namespace outrider::artifacts

#include "train/trainer/trace_mix.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "tests/data/random_store.h"
#include "tests/support/expect_input_error.h"
#include "train/trainer/validation_traces.h"

namespace outrider::train {
namespace {

using Name = std::tuple<std::string, int, std::uint64_t>;

std::vector<Name> names(const std::vector<data::Trace>& traces) {
  std::vector<Name> all;
  for (const data::Trace& trace : traces)
    all.push_back({trace.id, trace.turn, trace.sequence_seed});
  return all;
}

/// Stores of 60 and 15 conversations or so.
struct TwoStores {
  test::RandomStore large{{}, {60, 8, 1, 1}}, small{{}, {15, 4, 1, 1}};
  std::vector<data::TraceStore> stores = {data::TraceStore(large.path),
                                          data::TraceStore(small.path)};
};

TEST(TraceMix, GivesEveryTraceOnceAnEpochInProportion) {
  const TwoStores two;
  TraceMix mix(two.stores, {.seed = 3});
  const auto large = static_cast<std::int64_t>(two.large.traces.size());
  const auto small = static_cast<std::int64_t>(two.small.traces.size());
  ASSERT_EQ(mix.size(), large + small);
  for (int epoch = 0; epoch < 3; ++epoch) {
    std::multiset<Name> given;
    for (std::int64_t i = 1; i <= mix.size(); ++i) {
      given.insert(names(mix.next(1)).front());
      const data::TraceStream::Position first = mix.positions()[0];
      const double due = static_cast<double>(epoch * large) +
                         static_cast<double>(i * large) / static_cast<double>(mix.size());
      EXPECT_NEAR(static_cast<double>(first.epoch * large + first.trace), due, 1);
    }
    std::vector<Name> all = names(two.large.traces);
    for (const Name& name : names(two.small.traces)) all.push_back(name);
    EXPECT_EQ(given, std::multiset<Name>(all.begin(), all.end()));
  }
}

TEST(TraceMix, ResumesFromAnyPosition) {
  const TwoStores two;
  TraceMix straight(two.stores, {.seed = 4, .window = 2});
  for (int step = 0; step < 60; ++step) {
    TraceMix resumed(two.stores, {.seed = 4, .window = 2});
    resumed.seek(straight.positions());
    EXPECT_EQ(names(resumed.next(7)), names(straight.next(7))) << "step " << step;
  }
  EXPECT_GT(straight.positions()[1].epoch, 1);
}

TEST(TraceMix, DoesNotChangeWhenAStoreGrows) {
  const TwoStores two;
  std::vector<data::TraceStore> fewer = {data::TraceStore(two.large.path)};
  fewer[0].keep_only({0, 2, 3});
  test::RandomStore growing({}, {60, 8, 1, 1});
  std::vector<data::TraceStore> grown = {data::TraceStore(growing.path)};
  grown[0].keep_only({0, 2, 3});
  EXPECT_EQ(data::content_hash(fewer[0].manifest()), data::content_hash(grown[0].manifest()));
  EXPECT_EQ(names(TraceMix(fewer, {}).next(20)), names(TraceMix(grown, {}).next(20)));
  test::expect_input_error([&] { grown[0].keep_only({0, 1}); }, "expected shard 1, found none");
}

TEST(ValidationTraces, AreThoseOfTheSubsetAndNeverTrainedOn) {
  const TwoStores two;
  const data::SplitOptions split{.seed = 2, .validation = 0.3, .test = 0};
  TraceMix mix(two.stores, {.subset = data::Subset::kTrain, .split = split});
  const auto validation = validation_traces(two.stores, split, 1000);
  EXPECT_EQ(mix.size() + std::ssize(validation),
            std::ssize(two.large.traces) + std::ssize(two.small.traces));
  std::set<std::string> ids;
  for (const data::Trace& trace : validation) ids.insert(trace.id);
  for (const data::Trace& trace : mix.next(static_cast<int>(mix.size())))
    EXPECT_EQ(ids.count(trace.id), 0u);
  const auto some = names(validation_traces(two.stores, split, 5));
  const auto all = names(validation);
  EXPECT_EQ(some, std::vector<Name>(all.begin(), all.begin() + 5));
  test::expect_input_error([&] { validation_traces(two.stores, {.validation = 0, .test = 0}, 5); },
                           "found none", "--validation");
}

}  // namespace
}  // namespace outrider::train

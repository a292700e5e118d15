#include "data/store/recorded_answers.h"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>

#include "runtime/hdf5/checksum.h"
#include "runtime/hdf5/dataset_paths.h"
#include "tests/data/modified_shard.h"
#include "tests/data/random_traces.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/temporary_folder.h"

namespace outrider::data {
namespace {

/// Three prompts of two samples, with one to three turns.
RecordedAnswers some_answers(int vocab) {
  RecordedAnswers answers{test::small_identity({}), {}};
  answers.identity.vocab = vocab;
  answers.identity.logits_hash = "0123";
  answers.identity.options = {{"samples", "2"}, {"seed", "1"}};
  Token next = 1;
  for (int i = 1; i <= 3; ++i) {
    PromptAnswers prompt{"p/" + std::to_string(i), 0x8000000000000000U + std::uint64_t(i), {}};
    for (int sample = 0; sample < 2; ++sample) {
      auto& turns = prompt.samples.emplace_back();
      for (int turn = 0; turn < i - sample || turn < 1; ++turn, ++next)
        turns.push_back({next, vocab - next, next});
    }
    answers.prompts.push_back(std::move(prompt));
  }
  return answers;
}

RecordedAnswers read(const std::vector<std::byte>& bytes) {
  return read_answers(hdf5::Reader(bytes, "mine.h5"));
}

void expect_equal(const RecordedAnswers& a, const RecordedAnswers& b) {
  EXPECT_EQ(first_difference(a.identity, b.identity), "");
  EXPECT_EQ(a.identity.model_name, b.identity.model_name);
  EXPECT_EQ(a.identity.logits_hash, b.identity.logits_hash);
  ASSERT_EQ(a.prompts.size(), b.prompts.size());
  for (std::size_t i = 0; i < a.prompts.size(); ++i) {
    EXPECT_EQ(a.prompts[i].id, b.prompts[i].id);
    EXPECT_EQ(a.prompts[i].hash, b.prompts[i].hash);
    EXPECT_EQ(a.prompts[i].samples, b.prompts[i].samples);
  }
}

TEST(RecordedAnswers, AreReadAsTheyWereWritten) {
  for (const int vocab : {300, 70'000}) {
    const RecordedAnswers answers = some_answers(vocab);
    expect_equal(read(encode_answers(answers)), answers);
  }
}

TEST(RecordedAnswers, HaveNothingOfWhatWasAsked) {
  const hdf5::Reader file(encode_answers(some_answers(300)), "mine.h5");
  EXPECT_EQ(
      hdf5::dataset_paths(file),
      (std::vector<std::string>{"/answer/offsets", "/answer/tokens", "/answer/turns", "/format",
                                "/identity", "/logits_hash", "/model", "/prompt/hash",
                                "/prompt/id/bytes", "/prompt/id/offsets", "/version"}));
}

TEST(RecordedAnswers, NeedTheirChecksum) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "answers.h5";
  const auto write = [&](const std::vector<std::byte>& bytes) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  };
  const RecordedAnswers answers = some_answers(300);
  std::vector<std::byte> bytes = encode_answers(answers);
  write(bytes);
  test::expect_input_error([&] { read_answers(path); }, "answers.h5", "begin with a checksum",
                           "data export --to answers writes such a file");
  hdf5::add_checksum(bytes);
  write(bytes);
  expect_equal(read_answers(path), answers);
  bytes[bytes.size() / 2] ^= std::byte{1};
  write(bytes);
  test::expect_input_error([&] { read_answers(path); }, "answers.h5: damaged", "data export");
}

/// Datasets that do not fit together, in a file that is whole.
class HostileAnswers : public testing::Test {
 protected:
  template <typename... Parts>
  void expect_refused(const Parts&... parts) {
    test::expect_input_error([&] { read(modified_.file()); }, "mine.h5", parts...);
    modified_ = test::ModifiedShard(valid_);
  }

  std::vector<std::byte> valid_ = encode_answers(some_answers(300));
  test::ModifiedShard modified_{valid_};
};

TEST_F(HostileAnswers, LackADatasetOrHaveOneOfAnotherKindOrLength) {
  expect_equal(read(modified_.file()), some_answers(300));
  for (const auto& [path, dataset] : test::ModifiedShard(valid_).datasets) {
    modified_.datasets.erase(path);
    expect_refused(path, "expected");
    modified_.datasets.erase(path);
    if (dataset.info.is_text)
      modified_.set<std::int32_t>(path, {1});
    else
      modified_.set<double>(path, {1});
    expect_refused(path, "expected");
    if (dataset.info.dims.empty()) continue;
    auto& longer = modified_.datasets.at(path);
    const std::size_t row = longer.bytes.size() / longer.info.dims[0];
    longer.info.dims[0] += 1;
    longer.bytes.resize(longer.bytes.size() + row);
    expect_refused("expected");
  }
}

TEST_F(HostileAnswers, HaveValuesOutOfRange) {
  modified_.datasets.at("/format").text = "holiday photos";
  expect_refused("/format", "expected 'outrider answers', found 'holiday photos'");
  modified_.change<std::int32_t>("/version", 0, 2);
  expect_refused("/version", "found 2");
  modified_.change<std::uint16_t>("/answer/tokens", 3, 300);
  expect_refused("/answer/tokens", "from 0 to 299, found 300");
  for (const std::int32_t number : {0, -1, std::numeric_limits<std::int32_t>::min()}) {
    modified_.change<std::int32_t>("/answer/turns", 1, number);
    expect_refused("/answer/turns", "at least 1");
  }
  modified_.change<std::int32_t>("/answer/turns", 1, std::numeric_limits<std::int32_t>::max());
  expect_refused("/answer/offsets", "expected shape");
  modified_.change<std::int64_t>("/answer/offsets", 2, 1);
  expect_refused("/answer/offsets", "offset 2");
  modified_.change<std::int64_t>("/prompt/id/offsets", 1, 99);
  expect_refused("/prompt/id/offsets", "offset 1");
}

TEST_F(HostileAnswers, AreOfNoNumberOfSamples) {
  const std::string known = modified_.datasets.at("/identity").text;
  for (const std::string samples : {"0", "-1", "two", "3000000000"}) {
    std::string text = known;
    const std::string from = "\"samples\":\"2\"";
    modified_.datasets.at("/identity").text =
        text.replace(text.find(from), from.size(), "\"samples\":\"" + samples + "\"");
    expect_refused("--samples from 1 to", "found '" + samples + "'");
  }
  modified_.datasets.at("/identity").text = "{}";
  expect_refused("expected a store's identity");
}

}  // namespace
}  // namespace outrider::data

// What is recorded of a drafter is kept in a journal, and an interrupted run goes on after it.

#include "calibrate/trials/record_stretches.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>

#include "calibrate/parallelspec/recorded_levels.h"
#include "calibrate/ssd/ssd_trial.h"
#include "data/journal/entry_numbers.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/temporary_folder.h"

namespace outrider::calibrate {
namespace {

RecordedLevels levels_of(const Stretch& stretch) {
  RecordedLevels recorded = {stretch.answer, stretch.first, 1, {}, {}};
  for (std::size_t position = stretch.first; position < stretch.end; ++position) {
    draft::RankedDepth& level = recorded.levels.emplace_back();
    level.log_best = -0.125 - static_cast<double>(position);
    for (int rank = 0; rank < static_cast<int>(position % 3); ++rank)
      level.tokens.push_back({7 + rank, 1.0 / 3 - rank, -2.5 * rank});
  }
  return recorded;
}

void expect_equal(const RecordedLevels& one, const RecordedLevels& other) {
  ASSERT_EQ(one.levels.size(), other.levels.size());
  for (std::size_t i = 0; i < one.levels.size(); ++i) {
    EXPECT_EQ(one.levels[i].log_best, other.levels[i].log_best);
    ASSERT_EQ(one.levels[i].tokens.size(), other.levels[i].tokens.size());
    for (std::size_t t = 0; t < one.levels[i].tokens.size(); ++t) {
      EXPECT_EQ(one.levels[i].tokens[t].token, other.levels[i].tokens[t].token);
      EXPECT_EQ(one.levels[i].tokens[t].value, other.levels[i].tokens[t].value);
      EXPECT_EQ(one.levels[i].tokens[t].score, other.levels[i].tokens[t].score);
    }
  }
}

class RecordStretches : public testing::Test {
 protected:
  /// Records the stretches, with an interrupt after so many of them.
  std::vector<RecordedLevels> record(int most) {
    data::Journal journal(folder_.path() / "levels.part", "work");
    recorded_ = 0;
    return record_stretches(
        stretches_, "drafts", unheard_, journal,
        [&](const Stretch& one) {
          if (recorded_ == most) throw Interrupted();
          ++recorded_;
          return levels_of(one);
        },
        [](const data::Journal::Entry& entry, const Stretch& one) -> std::optional<RecordedLevels> {
          RecordedLevels levels = {one.answer, one.first, 1, {}, {}};
          if (!restore(entry, levels)) return std::nullopt;
          return levels;
        });
  }

  test::TemporaryFolder folder_;
  Watch unheard_;
  Answer answer_;
  std::vector<Stretch> stretches_ = {{&answer_, 1, 4}, {&answer_, 9, 10}, {&answer_, 20, 26}};
  int recorded_ = 0;
};

TEST_F(RecordStretches, GoOnAfterWhatAnEarlierRunRecorded) {
  EXPECT_THROW(record(2), Interrupted);
  const std::vector<RecordedLevels> all = record(3);
  EXPECT_EQ(recorded_, 1) << "the two others are in the journal";
  ASSERT_EQ(all.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(all[i].first, stretches_[i].first);
    expect_equal(all[i], levels_of(stretches_[i]));
  }
}

TEST_F(RecordStretches, RefuseWhatIsNoRecord) {
  {
    data::Journal journal(folder_.path() / "levels.part", "work");
    journal.append({2, 1});
  }
  test::expect_input_error([&] { record(3); }, "levels.part: its contents are invalid");
}

TEST_F(RecordStretches, ArePlannedByTheFirstPositions) {
  EXPECT_EQ(positions_of(stretches_), 10);
  std::size_t sampled = 0;
  const double seconds = seconds_to_record(stretches_, [&](const Stretch& one) {
    sampled = one.end - one.first;
    return levels_of(one);
  });
  EXPECT_EQ(sampled, 3U);
  EXPECT_GE(seconds, 0);
}

TEST(SsdTrialEntry, ComesBack) {
  SsdTrial trial;
  trial.counted = {1, 0, 1};
  trial.in_head = {1, 1, 0};
  trial.accepted = {0, 0, 1};
  trial.log_q = {-0.1F, -std::numeric_limits<float>::infinity(), -7};
  const std::optional<SsdTrial> read = trial_of(entry_of(trial));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->counted, trial.counted);
  EXPECT_EQ(read->in_head, trial.in_head);
  EXPECT_EQ(read->accepted, trial.accepted);
  EXPECT_EQ(read->log_q, trial.log_q);
}

TEST(SsdTrialEntry, OfOtherNumbersIsNone) {
  EXPECT_FALSE(trial_of({}).has_value());
  EXPECT_FALSE(trial_of({2, 1, 0}).has_value()) << "too few";
  EXPECT_FALSE(trial_of({1, 1, 0, 5}).has_value()) << "too many";
  EXPECT_FALSE(trial_of({-1}).has_value());
}

TEST(EntryNumbers, AreTakenInTheOrderInWhichTheyWereAdded) {
  data::EntryWriter writer;
  writer.add(std::int32_t{-3}).add(0.5F).add(1e-300).add(std::size_t{1}).add(std::int32_t{9});
  data::EntryReader reader(writer.entry());
  EXPECT_EQ(reader.integer(), -3);
  EXPECT_EQ(reader.real(), 0.5F);
  EXPECT_EQ(reader.long_real(), 1e-300);
  EXPECT_EQ(reader.count(1), 1U);
  EXPECT_FALSE(reader.is_at_end());
  EXPECT_EQ(reader.integer(), 9);
  EXPECT_TRUE(reader.is_at_end());
  EXPECT_EQ(reader.integer(), 0);
  EXPECT_FALSE(reader.ok());
}

}  // namespace
}  // namespace outrider::calibrate

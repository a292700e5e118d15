#include "calibrate/gsd/stretch_record.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace outrider::calibrate {
namespace {

TEST(StretchRecord, IsWhatItWasAfterTheJournal) {
  const sampling::HeadVocabulary vocabulary({}, 70, 70);
  const RecordedTree empty{draft::KeptLogits(vocabulary)};
  const Stretch stretch = {nullptr, 5, 7};
  StretchRecord record = {{nullptr, 5, {empty, empty}}, {{.children = 2, .trees = 2, .nodes = 9}}};
  record.redundancy[0].merging[3].divergence = 0.1;
  RecordedTree& tree = record.stretch.trees[1];
  std::vector<engine::RankedLogit> logits;
  for (Token token = 0; token < 70; ++token)
    logits.push_back({static_cast<float>(token * 29 % 70), token});
  std::sort(logits.begin(), logits.end());
  logits.resize(tree.kept.of_row());
  const std::vector<sampling::RankedToken> two = {{7, -0.5, -0.25}, {3, -1.5, -2}};
  tree.expand(0, two, RecordedTree::kNone);
  tree.expand(2, two, tree.kept.keep(vocabulary, logits, {69, 1.5}));
  tree.is_cut = true;
  const data::JournalEntry entry = entry_of(record);
  const auto again = record_of(entry, stretch, empty);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(entry_of(*again), entry);
  const RecordedTree& found = again->stretch.trees[1];
  ASSERT_EQ(found.size(), 5);
  EXPECT_EQ(found.log_path(4), -4);
  EXPECT_EQ(found.depth(3), 2);
  EXPECT_EQ(found.kept_row(2), 0);
  EXPECT_FALSE(found.is_expanded(1));
  EXPECT_TRUE(found.is_cut);
  EXPECT_EQ(found.kept.log_q(0, 69), tree.kept.log_q(0, 69));
  EXPECT_FALSE(record_of(entry, {nullptr, 5, 8}, empty).has_value());
  for (std::size_t i = 0; i < entry.size(); ++i) {
    data::JournalEntry cut = entry;
    cut.resize(i);
    EXPECT_FALSE(record_of(cut, stretch, empty).has_value()) << i;
  }
  data::JournalEntry unknown = entry;  // the first parent of the second tree
  const std::size_t place = 4 + 3;
  ASSERT_EQ(unknown[place - 1], 4) << "nodes";
  unknown[place] = 9;
  EXPECT_FALSE(record_of(unknown, stretch, empty).has_value());
}

}  // namespace
}  // namespace outrider::calibrate

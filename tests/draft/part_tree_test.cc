#include "runtime/draft/part_tree.h"

#include <gtest/gtest.h>

#include <string>

namespace outrider::draft {
namespace {

using Nodes = std::vector<int>;

class PartTreeTest : public testing::Test {
 protected:
  static Nodes accepted(const PartTree::Told& told) {
    return {told.accepted.begin(), told.accepted.end()};
  }

  TokenTree whole_{1, {.depth = 4, .nodes = 6}};
  PartTree one_, other_;
};

TEST_F(PartTreeTest, SharesPrefixesAndKeepsNodesApart) {
  one_.begin(whole_).add_draft(std::vector<Token>{2, 3, 4}, {.source = Source::kContext});
  TokenTree& own = other_.begin(whole_);
  own.add(0, 9, {.source = Source::kModel});
  own.add_draft(std::vector<Token>{2, 3, 5}, {.source = Source::kModel, .rank = 1});
  EXPECT_EQ(own.num_drafted(), 4) << "nothing of the other's";
  one_.merge_into(whole_);
  other_.merge_into(whole_);
  ASSERT_EQ(whole_.num_drafted(), 5);
  EXPECT_EQ(whole_.origin(1).source, Source::kContext) << "whose it is first";
  EXPECT_EQ(whole_.token(4), 9);
  EXPECT_EQ(whole_.parent(5), 2);
  ASSERT_EQ(whole_.drafts().size(), 2u);
  EXPECT_EQ(whole_.drafts()[1].last, 5);
  EXPECT_EQ(whole_.drafts()[1].origin.rank, 1);
  EXPECT_FALSE(whole_.is_cut());
}

TEST_F(PartTreeTest, IsToldOfItsOwnNodesWhoeverHadThem) {
  one_.begin(whole_).add_chain(0, std::vector<Token>{2, 3, 4});
  TokenTree& own = other_.begin(whole_);
  own.add(0, 9);
  own.add_chain(0, std::vector<Token>{2, 3, 5});
  one_.merge_into(whole_);
  other_.merge_into(whole_);
  one_.find_in(whole_);
  other_.find_in(whole_);
  // 2, 3, 4, and then 7.
  EXPECT_EQ(accepted(one_.told(Nodes{1, 2, 3}, 7)), (Nodes{1, 2, 3}));
  EXPECT_EQ(one_.told(Nodes{1, 2, 3}, 7).next, 7);
  EXPECT_EQ(accepted(other_.told(Nodes{1, 2, 3}, 7)), (Nodes{2, 3}));
  EXPECT_EQ(other_.told(Nodes{1, 2, 3}, 7).next, 4) << "of another's node";
  EXPECT_EQ(accepted(one_.told(Nodes{4}, 8)), Nodes{});
  EXPECT_EQ(one_.told(Nodes{4}, 8).next, 9);
  EXPECT_EQ(accepted(other_.told({}, 8)), Nodes{});
  EXPECT_EQ(other_.told({}, 8).next, 8);
}

TEST_F(PartTreeTest, OfAPartThatIsNotVerifiedIsFoundAllTheSame) {
  one_.begin(whole_).add_chain(0, std::vector<Token>{2, 3});
  other_.begin(whole_).add_chain(0, std::vector<Token>{2, 6});
  one_.merge_into(whole_);
  other_.find_in(whole_);
  EXPECT_EQ(accepted(other_.told(Nodes{1, 2}, 7)), Nodes{1});
  EXPECT_EQ(other_.told(Nodes{1, 2}, 7).next, 3);
}

TEST_F(PartTreeTest, KeepsToTheRoomThatIsLeft) {
  one_.begin(whole_).add_chain(0, std::vector<Token>{2, 3, 4, 5});
  EXPECT_EQ(one_.tree().num_drafted(), 4);
  TokenTree& own = other_.begin(whole_, 5);
  for (Token token = 10; token < 16; ++token) own.add_draft(std::vector<Token>{token}, {});
  EXPECT_EQ(own.num_drafted(), 5);
  EXPECT_TRUE(own.is_cut());
  one_.merge_into(whole_);
  EXPECT_FALSE(whole_.is_cut());
  other_.merge_into(whole_);
  EXPECT_EQ(whole_.num_drafted(), 6);
  EXPECT_EQ(whole_.drafts().size(), 2u) << "those that have a node";
  EXPECT_TRUE(whole_.is_cut());
  other_.find_in(whole_);
  EXPECT_EQ(accepted(other_.told(Nodes{6}, 7)), Nodes{2});
}

TEST_F(PartTreeTest, ThatEndsAtItsOwnBudgetCutsNothing) {
  for (const int nodes : {2, 6}) {
    TokenTree& own = one_.begin(whole_, nodes);
    for (Token token = 10; token < 17; ++token) own.add(0, token);
    EXPECT_TRUE(own.is_cut());
    one_.merge_into(whole_);
    EXPECT_EQ(whole_.is_cut(), nodes == 6);
  }
}

TEST_F(PartTreeTest, KeepsRowsApart) {
  TokenTree& own = one_.begin(whole_);
  own.set_form(TreeForm::kRows);
  own.add_draft(std::vector<Token>{2, 3}, {});
  own.add_draft(std::vector<Token>{2, 4}, {.rank = 1});
  one_.merge_into(whole_);
  EXPECT_EQ(whole_.num_drafted(), 4);
  EXPECT_EQ(whole_.drafts()[1].last, 4);
}

}  // namespace
}  // namespace outrider::draft

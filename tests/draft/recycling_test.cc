#include <gtest/gtest.h>

#include <numeric>

#include "runtime/draft/ngram/recycling_drafter.h"
#include "tests/support/draft_of.h"
#include "tests/support/tiny_engine.h"

namespace outrider::draft {
namespace {

constexpr int kTableVocab = 100;

/// A pass whose rows are a tree; each expects one token by far, and the one after it next.
struct TestPass {
  engine::Pass pass;
  std::vector<int> rows;

  void add(Token token, Token next, int parent = engine::Row::kCommitted) {
    rows.push_back(static_cast<int>(pass.rows.size()));
    pass.rows.push_back({token, 0, parent, true});
    const int all = static_cast<int>(pass.rows.size());
    float* const logits =
        pass.logits.on_host(all, kTableVocab, kTableVocab) + (all - 1) * kTableVocab;
    for (Token v = 0; v < kTableVocab; ++v) logits[v] = -0.01F * static_cast<float>(v);
    logits[next] = 9;
    logits[next + 1] = 5;
  }
};

class RecyclingTest : public testing::Test {
 protected:
  RecyclingTest() {
    NgramTables tables;
    tables.top = 4;
    tables.unigram.resize(kTableVocab);
    std::iota(tables.unigram.begin(), tables.unigram.end(), 0);
    for (Token t = 0; t < kTableVocab; ++t) {
      for (int rank = 0; rank < 4; ++rank) {
        tables.next.push_back((t + 50 + rank) % kTableVocab);
        tables.log_probs.push_back(-1.0F - static_cast<float>(rank));
      }
    }
    tables_ = std::make_shared<NgramTables>(tables);
  }
  Recycling drafter(RecyclingOptions options) const {
    options.top = 4;
    return {tables_, std::move(options), tiny_.engine.score_kernels()};
  }
  Recycling chain(int length) const { return drafter({.draft_length = length, .nodes = length}); }
  /// The likeliest tokens in order, which are a chain where every row is sure of one.
  static std::vector<Token> tokens(const TokenTree& tree) {
    std::vector<Token> all;
    for (int node = 1; node < tree.size(); ++node) all.push_back(tree.token(node));
    return all;
  }
  static LengthCosts prices(double row) {
    LengthCosts costs;
    for (int rows = 0; rows <= Recycling::kMostNodes; ++rows)
      costs.seconds.push_back(1 + row * rows);
    return costs;
  }

  TablesPtr tables_;
  test::TinyEngine tiny_{model::WeightType::kF32, 1, 1};
};

const std::vector<Token> kThree = {1, 2, 3};

TEST_F(RecyclingTest, StartsWithTheBigramsOfTheModel) {
  Recycling drafter = chain(1);
  const TokenTree tree = test::draft_of(drafter, kThree);
  EXPECT_EQ(tokens(tree), (std::vector<Token>{53}));
  EXPECT_EQ(tree.origin(1).source, Source::kBigram);
}

TEST_F(RecyclingTest, ExpectsWhatTheLastRowOfATokenExpected) {
  Recycling drafter = chain(2);
  drafter.start(std::vector<Token>{1}, 0);
  TestPass first;
  first.add(1, 2);
  first.add(2, 3, 0);
  first.add(3, 10, 1);
  drafter.observe(first.pass, {first.rows});
  EXPECT_EQ(tokens(test::draft_of(drafter, std::vector<Token>{9, 2})), (std::vector<Token>{3, 10}));
  EXPECT_EQ(test::draft_of(drafter, std::vector<Token>{9, 2}).origin(1).source, Source::kRecycled);
  TestPass later;
  later.add(9, 2);
  later.add(2, 40, 0);
  drafter.observe(later.pass, {later.rows});
  EXPECT_EQ(tokens(test::draft_of(drafter, std::vector<Token>{8, 2}))[0], 40);
}

TEST_F(RecyclingTest, TwoTokensGoBeforeOne) {
  Recycling drafter = chain(1);
  drafter.start(std::vector<Token>{1}, 0);
  TestPass pass;
  for (const auto& [token, next] : {std::pair{1, 2}, {2, 20}, {5, 2}, {2, 30}})
    pass.add(token, next, static_cast<int>(pass.rows.size()) - 1);
  drafter.observe(pass.pass, {pass.rows});
  EXPECT_EQ(tokens(test::draft_of(drafter, std::vector<Token>{1, 2})), (std::vector<Token>{20}));
  EXPECT_EQ(tokens(test::draft_of(drafter, std::vector<Token>{5, 2})), (std::vector<Token>{30}));
  EXPECT_EQ(tokens(test::draft_of(drafter, std::vector<Token>{7, 2})), (std::vector<Token>{30}));
}

TEST_F(RecyclingTest, ThePromptsLastRowFollowsThePromptsToken) {
  Recycling drafter = chain(1);
  drafter.start(std::vector<Token>{6, 2}, 0);
  TestPass one;  // of a later part of the prompt
  one.add(2, 20);
  drafter.observe(one.pass, {one.rows});
  TestPass two;
  two.add(4, 2);
  two.add(2, 30, 0);
  drafter.observe(two.pass, {two.rows});
  EXPECT_EQ(tokens(test::draft_of(drafter, std::vector<Token>{6, 2})), (std::vector<Token>{20}));
}

TEST_F(RecyclingTest, LearnsFromRejectedRowsUnderTheirParents) {
  Recycling drafter = chain(1);
  drafter.start(std::vector<Token>{1}, 0);
  TestPass pass;  // two children of the root, one with a child
  pass.add(1, 2);
  pass.add(2, 20, 0);
  pass.add(5, 25, 0);
  pass.add(2, 30, 2);
  EXPECT_TRUE(drafter.traits().wants_rejected);
  drafter.observe(pass.pass, {std::vector<int>{0, 1}, std::vector<int>{2, 3}});
  EXPECT_EQ(tokens(test::draft_of(drafter, std::vector<Token>{5, 2})), (std::vector<Token>{30}));
  EXPECT_EQ(tokens(test::draft_of(drafter, std::vector<Token>{1, 5})), (std::vector<Token>{25}));
  EXPECT_EQ(tokens(test::draft_of(drafter, std::vector<Token>{1, 2})), (std::vector<Token>{20}));
  EXPECT_EQ(tokens(test::draft_of(drafter, std::vector<Token>{9, 2})), (std::vector<Token>{20}))
      << "the text's own row goes before those of drafts";
}

TEST_F(RecyclingTest, ForgetsOtherTextsButNotEarlierTurns) {
  Recycling drafter = chain(1);
  drafter.start(std::vector<Token>{1}, 0);
  TestPass pass;
  pass.add(1, 2);
  pass.add(2, 20, 0);
  drafter.observe(pass.pass, {pass.rows});
  const std::vector<Token> text = {1, 2, 2};
  EXPECT_EQ(tokens(test::draft_of(drafter, text)), (std::vector<Token>{20}));
  drafter.start(std::vector<Token>{1, 2, 2, 20, 60, 2}, 4);  // the answer and another question
  EXPECT_EQ(tokens(test::draft_of(drafter, std::vector<Token>{1, 2, 2, 20, 60, 2})),
            (std::vector<Token>{20}));
  drafter.start(std::vector<Token>{1, 2}, 1);
  EXPECT_EQ(tokens(test::draft_of(drafter, text)), (std::vector<Token>{52}));
}

TEST_F(RecyclingTest, BranchesWhereARowIsNotSure) {
  Recycling drafter = this->drafter({.draft_length = 2, .nodes = 3});
  // By the bigrams e^-1 and e^-2 of the probability of a first token: of two nodes more the likeliest is the
  // second token of the first path or the next first one.
  const TokenTree tree = test::draft_of(drafter, kThree);
  EXPECT_EQ(tokens(tree), (std::vector<Token>{53, 54, 3}));
  EXPECT_EQ(tree.parent(1), 0);
  EXPECT_EQ(tree.parent(2), 0);
  EXPECT_EQ(tree.parent(3), 1);
}

TEST_F(RecyclingTest, KeepsToItsLimits) {
  for (const int nodes : {1, 5, 40}) {
    for (const int depth : {1, 2, 5}) {
      Recycling drafter = this->drafter({.draft_length = 4, .nodes = 20});
      TokenTree tree(kThree.back(), {.depth = depth, .nodes = nodes});
      drafter.draft({kThree}, tree);
      const int room = depth == 1 ? 4 : 20;  // a row has four tokens
      EXPECT_EQ(tree.num_drafted(), std::min(nodes, room)) << nodes << " " << depth;
      for (int node = 1; node < tree.size(); ++node)
        EXPECT_LE(tree.depth(node), std::min(depth, 4));
    }
  }
}

TEST_F(RecyclingTest, DraftsAsManyTokensAsPay) {
  const auto drafted = [&](double row, int tokens) {
    Recycling drafter =
        this->drafter({.nodes = 0, .passes = {prices(row), {10, prices(1).seconds}}});
    return test::draft_of(drafter, std::vector<Token>(static_cast<std::size_t>(tokens), 3))
        .num_drafted();
  };
  EXPECT_EQ(drafted(1, 3), 0);
  EXPECT_GT(drafted(0.05, 3), drafted(0.2, 3));
  EXPECT_GT(drafted(0.2, 3), 0);
  EXPECT_EQ(drafted(0.05, 10), 0) << "of a longer text";
  EXPECT_THROW(this->drafter({.nodes = 0}), std::logic_error);
}

TEST_F(RecyclingTest, DraftsLessWhereItsRowsDoNotHoldTheNextToken) {
  const auto drafted_after = [&](Token next) {
    Recycling drafter = this->drafter({.nodes = 0, .passes = {prices(0.1)}});
    std::vector<Token> text = {3};
    int drafted = 0;
    for (int i = 0; i < 50; ++i) {
      drafted = test::draft_of(drafter, text).num_drafted();
      text.push_back(next == 0 ? 0 : (text.back() + next) % kTableVocab);
    }
    return drafted;
  };
  EXPECT_GT(drafted_after(50), 3);
  EXPECT_LT(drafted_after(7), 2);
}

TEST_F(RecyclingTest, RanksWithTheNoiseOfTheTarget) {
  Recycling drafter = chain(2);
  const sampling::SamplerOptions options = {.temperature = 0.7};
  const sampling::TokenCounts counts{{}};
  TableChoice choice;
  int noisy = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const sampling::SequenceSampling sampling = {options, seed, counts};
    TokenTree tree(3);
    drafter.draft({kThree, sampling}, tree);
    const auto best = [&](Token token, std::int64_t position) {
      return choice
          .rank(sampling, tables_->next_of(token), tables_->log_probs_of(token), position, 1)
          .front()
          .token;
    };
    const Token first = best(3, 3);
    EXPECT_EQ(tree.token(1), first);
    for (int node = 2; node < tree.size(); ++node) {
      if (tree.parent(node) == 1) {
        EXPECT_EQ(tree.token(node), best(first, 4));
      }
    }
    noisy += first != 53;
  }
  EXPECT_GT(noisy, 3);
}

TEST_F(RecyclingTest, CountsRoundsByWhatItsRootHad) {
  Recycling drafter = chain(1);
  drafter.start(kThree, 0);
  (void)test::draft_of(drafter, kThree);                              // 53 to 56 after 3
  (void)test::draft_of(drafter, std::vector<Token>{1, 2, 3, 55, 7});  // 55 came
  (void)test::draft_of(drafter, std::vector<Token>{1, 2, 3, 55, 7, 8});
  const std::vector<DrafterCount> counts = drafter.report(0).counts;
  ASSERT_EQ(counts.size(), 6u);
  EXPECT_EQ(counts[4].name, "bigram_rounds");
  EXPECT_EQ(counts[4].count, 2);
  EXPECT_EQ(counts[5].name, "bigram_covered");
  EXPECT_EQ(counts[5].count, 1);
}

}  // namespace
}  // namespace outrider::draft

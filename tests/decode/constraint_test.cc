// Answers that have to follow a constraint, here of the simplest kind.

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <set>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/decode/decode_loop.h"
#include "runtime/decode/verify.h"
#include "runtime/draft/ngram/context_ngram_drafter.h"
#include "tests/decode/every_third.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/random_tree.h"
#include "tests/support/tiny_engine.h"

namespace outrider::decode {
namespace {

using draft::TokenTree;

/// Drafts random trees with some of the tokens that are to come.
class Guesses : public draft::Drafter {
 public:
  Guesses(std::vector<Token> text, int vocab) : text_(std::move(text)), vocab_(vocab) {}
  std::string name() const override { return "guesses"; }
  void fill(const draft::DraftContext& context, TokenTree& tree) override {
    int node = 0;
    for (std::size_t i = context.committed.size(); node != TokenTree::kNone && random_() % 5 != 0;
         ++i) {
      for (auto wrong = random_() % 3; wrong > 0; --wrong) {
        const int other =
            tree.add(node, static_cast<Token>(random_() % static_cast<unsigned>(vocab_)));
        if (other != TokenTree::kNone) tree.add(other, static_cast<Token>(random_() % 100));
      }
      if (i >= text_.size()) break;
      node = tree.add(node, text_[i]);
    }
    added_ += tree.num_drafted();
  }
  draft::DrafterTraits traits() const override {
    return {.wants = {.logits = true}, .wants_rejected = true};
  }
  void observe(const engine::Pass& pass, const draft::ObservedRows& rows) override {
    if (rows.rejected.empty()) return;
    // Each row of a pass with a draft is kept or rejected.
    std::set<int> seen(rows.rejected.begin(), rows.rejected.end());
    seen.insert(rows.kept.begin(), rows.kept.end());
    EXPECT_EQ(seen.size(), pass.rows.size());
  }

  int added_ = 0;  // nodes

 private:
  std::vector<Token> text_;
  int vocab_;
  std::mt19937 random_{5};
};

class Constrained : public testing::Test {
 protected:
  DecodeResult decode(draft::Drafter* drafter, const sampling::SamplerOptions& options,
                      int end_after, int most = 1000) {
    Decoder decoder(tiny_.engine, 200);
    return decoder.decode(prompt_, {options, vocab_, 4}, drafter,
                          {.max_new = 40, .end_tokens = {kEnd}, .new_constraint = [=, this] {
                             return std::make_unique<EveryThird>(vocab_, end_after, most);
                           }});
  }

  test::TinyEngine tiny_{model::WeightType::kQ8_0, 3, 1};
  int vocab_ = tiny_.engine.config().vocab;
  std::vector<Token> prompt_ = test::random_tokens(12, vocab_, 8);
};

TEST_F(Constrained, TextsAreThoseOfPlainDecodingAndOfNoOtherTokens) {
  for (const auto& options : {sampling::SamplerOptions(), test::every_sampler_option()}) {
    const DecodeResult plain = decode(nullptr, options, 30);
    for (std::size_t i = 0; i < plain.tokens.size(); ++i)
      EXPECT_TRUE(plain.tokens[i] % 3 == static_cast<int>(i % 3) ||
                  (plain.tokens[i] == kEnd && i == 30))
          << i;
    std::vector<Token> text = prompt_;
    text.insert(text.end(), plain.tokens.begin(), plain.tokens.end());
    Guesses guesses(text, vocab_);
    const DecodeResult drafted = decode(&guesses, options, 30);
    EXPECT_EQ(drafted.tokens, plain.tokens);
    EXPECT_EQ(drafted.finish, plain.finish);
    EXPECT_GT(drafted.stats.accepted, 5);
    EXPECT_LT(drafted.stats.passes, plain.stats.passes);
  }
}

TEST_F(Constrained, RowsOfRefusedNodesAreNotForwarded) {
  // Of random tokens a third may come next.
  Guesses guesses({}, vocab_);
  const DecodeResult text = decode(&guesses, {}, 1000);
  EXPECT_EQ(text.finish, FinishReason::kLength);
  int drafted = 0;
  for (const PassDraft& pass : text.stats.by_pass) drafted += pass.drafted;
  EXPECT_EQ(drafted, text.stats.drafted);
  std::int64_t by_drafter = 0;
  for (const draft::DrafterResults& one : text.stats.by_drafter) by_drafter += one.drafted;
  EXPECT_EQ(by_drafter, drafted);
  EXPECT_GT(drafted, 0);
  EXPECT_LT(drafted, guesses.added_);
}

TEST_F(Constrained, AnAnswerThatIsCompleteEndsWhereNothingFollows) {
  const DecodeResult text = decode(nullptr, {}, 7, 7);
  EXPECT_EQ(text.finish, FinishReason::kStop);
  EXPECT_EQ(text.tokens.size(), 7u);
}

TEST_F(Constrained, AnAnswerThatCannotGoOnIsAMistakeOfItsFormat) {
  for (const int most : {0, 5})
    test::expect_input_error([&] { decode(nullptr, {}, 7, most); },
                             "no token of the model's vocabulary");
}

TEST_F(Constrained, AGivenAnswerMayBeAnything) {
  Decoder decoder(tiny_.engine, 200);
  const DecodeResult text = decoder.decode(
      prompt_, {{}, vocab_, 4}, nullptr, {.max_new = 4, .given = {1, 1, 1}, .new_constraint = [&] {
                                            return std::make_unique<EveryThird>(vocab_, 7);
                                          }});
  EXPECT_EQ(text.tokens, (std::vector<Token>{1, 1, 1}));
}

TEST(RefuseNodes, RefusesThoseThatMayNotFollowTheirPath) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 200; ++round) {
    TokenTree tree = test::random_tree(7, {.vocab = 12, .nodes = 1 + round % 40}, random);
    EveryThird constraint(12, 2);
    constraint.accept(0);
    refuse_nodes(tree, constraint);
    EXPECT_EQ(constraint.text(), std::vector<Token>{0});
    int refused = 0;
    for (int node = 1; node < tree.size(); ++node) {
      std::vector<Token> path;
      for (int above = node; above != 0; above = tree.parent(above))
        path.insert(path.begin(), tree.token(above));
      EveryThird alone(12, 2);
      alone.accept(0);
      bool may_follow = true;
      for (const Token token : path) may_follow = may_follow && alone.accept(token);
      EXPECT_EQ(tree.is_refused(node), !may_follow);
      refused += !may_follow;
    }
    EXPECT_EQ(tree.num_sent(), tree.num_drafted() - refused);
    engine::Pass pass;
    std::vector<int> rows;
    add_rows(tree, 0, pass, rows);
    ASSERT_EQ(std::ssize(pass.rows), 1 + tree.num_sent());
    for (int node = 0; node < tree.size(); ++node) {
      const int row = rows[static_cast<std::size_t>(node)];
      EXPECT_EQ(row == TokenTree::kNone, tree.is_refused(node));
      if (row == TokenTree::kNone) continue;
      const engine::Row& added = pass.rows[static_cast<std::size_t>(row)];
      EXPECT_EQ(added.token, tree.token(node));
      if (node > 0) {
        EXPECT_EQ(added.parent, rows[static_cast<std::size_t>(tree.parent(node))]);
      }
    }
  }
}

}  // namespace
}  // namespace outrider::decode

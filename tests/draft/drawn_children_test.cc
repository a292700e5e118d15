#include "runtime/draft/drawn_children.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "runtime/engine/cpu/instruction_set.h"
#include "runtime/engine/cpu/kernels.h"
#include "runtime/sampling/cpu_chooser.h"
#include "tests/support/binomial_bound.h"
#include "tests/support/every_chance.h"
#include "tests/support/logit_rows.h"

namespace outrider::draft {
namespace {

class DrawnChildrenTest : public testing::Test {
 protected:
  static constexpr int kVocab = 5;
  static constexpr std::int64_t kPosition = 12;

  DrawnChildrenTest() {
    test::leave_on_host({{0.5f, -1.0f, 1.5f, 0.0f, 0.7f}}, logits_);
    chooser_.distribute({&logits_, 0}, {options_, 0, counts_}, q_);
  }

  std::vector<Token> draw(DrawnChildren& drawn, int node, int children, std::uint64_t seed = 0) {
    drawn.draw(chooser_, {options_, seed, counts_}, {&logits_, 0}, {node, children, kPosition},
               ranked_);
    std::vector<Token> tokens;
    for (const sampling::RankedToken& one : ranked_) {
      EXPECT_NEAR(one.score, std::log(q_.of(one.token)), 1e-12);
      tokens.push_back(one.token);
    }
    return tokens;
  }

  /// Each token's probability among those that are left.
  double probability(const std::vector<Token>& tokens) const {
    double all = 1, left = 1;
    for (const Token token : tokens) {
      all *= q_.of(token) / left;
      left -= q_.of(token);
    }
    return all;
  }

  engine::Logits logits_;
  sampling::SamplerOptions options_ = {.temperature = 1, .top_k = 4};
  sampling::TokenCounts counts_{{}};
  sampling::CpuChooser chooser_{
      sampling::HeadVocabulary(kVocab), engine::cpu::kernels_for(engine::Isa::kAuto).score, {}};
  sampling::Distribution q_;
  std::vector<sampling::RankedToken> ranked_;
};

TEST_F(DrawnChildrenTest, AreDrawnInEveryOrderAsWithoutReplacement) {
  for (const int children : {1, 2, 3, 4, 9}) {
    test::EveryChance every;
    DrawnChildren drawn(Verification::kRejection, &every);
    std::map<std::vector<Token>, double> found;
    std::vector<Token> tokens;
    every.for_each(
        [&] {
          drawn.restart();
          tokens = draw(drawn, 0, children);
        },
        [&](double probability) { found[tokens] += probability; });
    const std::size_t orders[] = {0, 4, 12, 24, 24};
    EXPECT_EQ(found.size(), orders[std::min(children, 4)]) << "of those that the filter leaves";
    for (const auto& [order, share] : found) EXPECT_NEAR(share, probability(order), 1e-12);
  }
}

// By the seed: within a group and from group to group of one position.
TEST_F(DrawnChildrenTest, AreIndependentOfOthersOfTheirPosition) {
  constexpr int kDraws = 100'000;
  DrawnChildren drawn(Verification::kRejection);
  std::map<std::vector<Token>, int> first, both;
  for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
    drawn.restart();
    std::vector<Token> tokens = draw(drawn, 0, 2, seed);
    ++first[tokens];
    for (const Token token : draw(drawn, 3, 2, seed)) tokens.push_back(token);
    ++both[tokens];
  }
  EXPECT_EQ(first.size(), 12u);
  for (const auto& [one, times] : first) {
    EXPECT_NEAR(static_cast<double>(times) / kDraws, probability(one),
                test::binomial_bound(probability(one), kDraws, 1e-10));
    for (const auto& [other, more] : first) {
      std::vector<Token> tokens = one;
      tokens.insert(tokens.end(), other.begin(), other.end());
      const double expected = probability(one) * probability(other);
      EXPECT_NEAR(static_cast<double>(both[tokens]) / kDraws, expected,
                  test::binomial_bound(expected, kDraws, 1e-10));
    }
  }
}

TEST_F(DrawnChildrenTest, TellWhatTheyWereDrawnFrom) {
  DrawnChildren drawn(Verification::kRejection);
  for (int draft = 0; draft < 2; ++draft) {
    drawn.restart();
    draw(drawn, 0, 2);
    options_.top_k = 2;
    drawn.draw(chooser_, {options_, 0, counts_}, {&logits_, 0}, {7, 3, kPosition}, ranked_);
    EXPECT_EQ(ranked_.size(), 2u);
    options_.top_k = 4;
    EXPECT_EQ(drawn.drawn_from(0)->tokens, q_.tokens);
    EXPECT_EQ(drawn.drawn_from(7)->tokens, (std::vector<Token>{2, 4}));
    EXPECT_EQ(drawn.drawn_from(3), nullptr);
    EXPECT_EQ(drawn.drawn_from(8), nullptr);
    TokenTree tree(1);
    for (Token token = 0; token < 9; ++token) tree.add(0, token);
    drawn.note_in(tree);
    EXPECT_EQ(tree.drawn_from(0), drawn.drawn_from(0));
    EXPECT_EQ(tree.drawn_from(7), drawn.drawn_from(7));
    EXPECT_EQ(tree.drawn_from(3), nullptr);
  }
  drawn.restart();
  EXPECT_EQ(drawn.drawn_from(7), nullptr);
}

TEST_F(DrawnChildrenTest, AreForRejectionAboveTemperatureZero) {
  EXPECT_TRUE(DrawnChildren(Verification::kRejection).draws({.temperature = 0.1}));
  EXPECT_FALSE(DrawnChildren(Verification::kRejection).draws({}));
  EXPECT_FALSE(DrawnChildren(Verification::kCoupled).draws({.temperature = 1}));
}

}  // namespace
}  // namespace outrider::draft

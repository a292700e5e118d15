#include "runtime/decode/sequence.h"

#include <gtest/gtest.h>

#include "runtime/base/error.h"
#include "runtime/engine/forward_text.h"
#include "tests/support/tiny_engine.h"

namespace outrider::decode {
namespace {

using Tokens = std::vector<Token>;

class Sequences : public testing::Test {
 protected:
  Sequence sequence(int context = 60) { return {target_.engine.make_cache(context), context}; }
  sampling::Sampler sampler(const sampling::SamplerOptions& options = {}) {
    return {options, target_.engine.config().vocab, 1};
  }
  /// Forwards the first tokens of the sequence that its cache does not hold.
  void forward(Sequence& sequence, int count) {
    engine::Pass pass;
    engine::forward_text(target_.engine, sequence.cache(), pass,
                         sequence.known().subspan(static_cast<std::size_t>(sequence.held()),
                                                  static_cast<std::size_t>(count)));
  }
  static Tokens tokens(std::span<const Token> of) { return {of.begin(), of.end()}; }

  test::TinyEngine target_{model::WeightType::kF32, 1, 1};
};

TEST_F(Sequences, HoldOfALaterTextWhatItBeginsWith) {
  Sequence one = sequence();
  one.begin(Tokens{1, 2, 3, 4}, sampler(), {});
  EXPECT_EQ(one.held(), 0);
  forward(one, 4);
  EXPECT_FALSE(!one.take(5));
  EXPECT_EQ(tokens(one.known()), (Tokens{1, 2, 3, 4, 5}));
  forward(one, 1);
  EXPECT_TRUE(one.take(6));
  EXPECT_EQ(tokens(one.answer()), (Tokens{5, 6}));
  EXPECT_EQ(tokens(one.held_tokens()), (Tokens{1, 2, 3, 4, 5}));
  one.begin(Tokens{1, 2, 3, 4, 5, 6, 7}, sampler(), {});
  EXPECT_EQ(one.held(), 5);
  EXPECT_TRUE(one.answer().empty());
  // The last token's row has to choose.
  one.begin(Tokens{1, 2, 3, 4, 5}, sampler(), {});
  EXPECT_EQ(one.held(), 4);
  one.begin(Tokens{1, 2, 9, 4, 5}, sampler(), {});
  EXPECT_EQ(one.held(), 2);
}

TEST_F(Sequences, TakeOverWhatAnotherHolds) {
  Sequence first = sequence(), second = sequence();
  first.begin(Tokens{1, 2, 3, 4, 5, 6}, sampler(), {});
  second.begin(Tokens{1, 2, 3, 4, 7}, sampler(), {});
  EXPECT_EQ(second.shared_with(first.held_tokens()), 0);
  EXPECT_EQ(second.shared_with(first.known()), 4);
  forward(first, 3);
  EXPECT_EQ(second.shared_with(first.held_tokens()), 3);
  second.adopt(first, 3);
  EXPECT_EQ(tokens(second.held_tokens()), (Tokens{1, 2, 3}));
  for (int slot = 0; slot < 3; ++slot)
    EXPECT_EQ(second.cache().key_bytes(1, slot), first.cache().key_bytes(1, slot));
  // Not the last token before the answer.
  second.begin(Tokens{1, 2, 3}, sampler(), {});
  EXPECT_EQ(second.shared_with(first.known()), 2);
}

TEST_F(Sequences, EndAtAnEndTokenAtTheLengthAndAtTheContext) {
  Sequence one = sequence(8);
  const auto ends_after = [&](const Tokens& answer, const DecodeLimits& limits) {
    one.begin(Tokens{1, 2, 3}, sampler(), limits);
    for (std::size_t i = 0; i < answer.size(); ++i) {
      EXPECT_FALSE(one.finished());
      EXPECT_EQ(one.take(answer[i]), i + 1 < answer.size()) << i;
    }
    return one.finish_reason();
  };
  EXPECT_EQ(ends_after({5, 7}, {.end_tokens = {7, 9}}), FinishReason::kStop);
  EXPECT_EQ(ends_after({5, 6, 7}, {.max_new = 3, .end_tokens = {7}}), FinishReason::kStop);
  EXPECT_EQ(ends_after({5, 6, 8}, {.max_new = 3}), FinishReason::kLength);
  EXPECT_EQ(ends_after({5, 5, 5, 5, 5}, {.max_new = 5}), FinishReason::kLength);
  EXPECT_EQ(ends_after({5, 5, 5, 5, 5}, {.max_new = 6}), FinishReason::kContext);
  one.begin(Tokens{1, 2, 3}, sampler(), {});
  EXPECT_EQ(one.left(), 5);
  one.take(4);
  EXPECT_EQ(one.left(), 4);
  one.finish(FinishReason::kInterrupted);
  EXPECT_TRUE(one.finished());
  EXPECT_THROW(one.begin({}, sampler(), {}), InputError);
  EXPECT_THROW(one.begin(Tokens(8), sampler(), {}), InputError);
}

TEST_F(Sequences, TakeAGivenAnswer) {
  Sequence one = sequence(8);
  one.begin(Tokens{1, 2, 3}, sampler(), {.end_tokens = {6}, .given = {5, 6, 7}});
  EXPECT_EQ(tokens(one.text()), (Tokens{1, 2, 3}));
  EXPECT_EQ(tokens(one.known()), (Tokens{1, 2, 3, 5, 6}));  // the last one predicts nothing
  EXPECT_EQ(one.left(), 3);
  EXPECT_EQ(one.given(5), 7);
  for (const Token token : {5, 6}) {
    EXPECT_EQ(one.given(static_cast<int>(one.text().size())), token);
    EXPECT_TRUE(one.take(token));  // an end token inside it ends nothing
  }
  EXPECT_FALSE(one.take(7));
  EXPECT_EQ(one.finish_reason(), FinishReason::kStop);
  // Cut by the context and by the length.
  one.begin(Tokens{1, 2, 3}, sampler(), {.given = {5, 6, 7, 8, 9, 10}});
  EXPECT_EQ(one.left(), 5);
  one.begin(Tokens{1, 2, 3}, sampler(), {.max_new = 2, .given = {5, 6, 7}});
  EXPECT_EQ(tokens(one.known()), (Tokens{1, 2, 3, 5}));
  one.take(5);
  EXPECT_FALSE(one.take(6));
  EXPECT_EQ(one.finish_reason(), FinishReason::kLength);
}

TEST_F(Sequences, CountTheTokensOfTheTextForPenalties) {
  Sequence one = sequence();
  std::vector<float> logits(static_cast<std::size_t>(target_.engine.config().vocab));
  logits[9] = 3;
  logits[4] = 2;
  sampling::TokenChoice choice(target_.engine.config().vocab);
  const auto chosen = [&] { return choice.choose(one.sampling(), logits, one.prompt()); };
  one.begin(Tokens{1, 2, 3}, sampler({.presence_penalty = 1.5}), {});
  EXPECT_EQ(one.given(3), std::nullopt);
  EXPECT_EQ(chosen(), 9);
  one.take(9);
  EXPECT_EQ(chosen(), 4);
  one.begin(Tokens{1, 2, 3}, sampler({.presence_penalty = 1.5}), {});
  EXPECT_EQ(chosen(), 9);
}

}  // namespace
}  // namespace outrider::decode

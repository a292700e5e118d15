#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <vector>

#include "runtime/decode/decode_loop.h"
#include "runtime/engine/forward_text.h"
#include "runtime/sampling/token_choice.h"
#include "tests/support/binomial_bound.h"

namespace outrider::test {

/// The probability of every text of so many tokens after a text.
class Texts {
 public:
  Texts(engine::Engine& engine, const sampling::SamplerOptions& options)
      : engine_(engine), options_(options) {}

  std::map<std::vector<Token>, double> after(const std::vector<Token>& prompt, int length) {
    prompt_ = prompt;
    std::vector<Token> text;
    walk(text, length, 1);
    return probabilities_;
  }

 private:
  void walk(std::vector<Token>& text, int length, double probability) {
    if (length == 0) {
      probabilities_[text] = probability;
      return;
    }
    std::vector<Token> all = prompt_;
    sampling::TokenCounts counts(prompt_);
    for (const Token token : text) {
      all.push_back(token);
      counts.add(token);
    }
    sampling::Distribution next;
    engine::forward_text(engine_, all, {.logits_from = static_cast<int>(all.size()) - 1},
                         [&](const engine::Pass& pass, int) {
                           sampling::TokenChoice(engine_.config().vocab)
                               .distribute({options_, 0, counts}, pass.row_logits(0), next);
                         });
    for (std::size_t i = 0; i < next.tokens.size(); ++i) {
      text.push_back(next.tokens[i]);
      walk(text, length - 1, probability * next.probabilities[i]);
      text.pop_back();
    }
  }

  engine::Engine& engine_;
  sampling::SamplerOptions options_;
  std::vector<Token> prompt_;
  std::map<std::vector<Token>, double> probabilities_;
};

/// Tokens of many texts.
struct DraftedTokens {
  int accepted = 0, drafted = 0;
};

/// Decodes 4 tokens after a prompt with many seeds, and compares how often each text comes with its probability.
/// @param options  3 tokens at every place
inline DraftedTokens expect_distribution_of_target(engine::Engine& target, draft::Drafter& drafter,
                                                   const std::vector<Token>& prompt,
                                                   const sampling::SamplerOptions& options,
                                                   int texts) {
  const auto exact = Texts(target, options).after(prompt, 4);
  EXPECT_EQ(exact.size(), 81u);
  std::map<std::vector<Token>, int> found;
  DraftedTokens tokens;
  decode::Decoder decoder(target, 200);
  for (int seed = 0; seed < texts; ++seed) {
    const decode::DecodeResult text =
        decoder.decode(prompt, {options, target.config().vocab, static_cast<std::uint64_t>(seed)},
                       &drafter, {.max_new = 4});
    ++found[text.tokens];
    tokens.accepted += text.stats.accepted;
    tokens.drafted += text.stats.drafted;
  }
  for (const auto& [text, probability] : exact)
    EXPECT_NEAR(static_cast<double>(found[text]) / texts, probability,
                binomial_bound(probability, texts, 1e-9));
  for (const auto& [text, times] : found)
    EXPECT_EQ(exact.count(text), 1u) << "the target never gives it";
  return tokens;
}

}  // namespace outrider::test

#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "runtime/decode/rejection_choice.h"
#include "runtime/decode/verify.h"
#include "runtime/draft/drafter.h"
#include "tests/support/every_chance.h"

namespace outrider::test {

/// Tokens 0 to 4, of which a drafter has three and the target lacks some, others after every text.
inline constexpr int kFewTokens = 5;
inline const std::vector<Token> kDraftable = {1, 3, 4};

/// The target's logits after a prompt and this text.
inline std::vector<float> logits_after(const std::vector<Token>& text) {
  std::uint64_t seed = 1;
  for (const Token token : text) seed = seed * 31 + static_cast<std::uint64_t>(token) + 1;
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal(0, 0.4f);
  std::vector<float> logits(kFewTokens);
  for (float& one : logits)
    one = random() % 8 == 0 ? -std::numeric_limits<float>::infinity() : normal(random);
  logits[random() % kFewTokens] = 0;  // one is left at least
  return logits;
}

/// Verifies drafts by rejection in every way, and compares the probability of every text with the target's own.
class EveryVerdict {
 public:
  /// @param prompt  its tokens, of which `counts` are those of the few
  /// @param steps   depths of a draft at most
  EveryVerdict(sampling::SamplerOptions options, std::vector<Token> prompt,
               const sampling::TokenCounts& counts, int steps)
      : options_(std::move(options)), prompt_(std::move(prompt)), counts_(counts), steps_(steps) {}

  /// @param drawn  the probability of this draft
  void verify(const draft::TokenTree& tree, double drawn) {
    verdicts_.for_each([&] { verify_once(tree); },
                       [&](double verified) { found_[text_] += drawn * verified; });
  }

  /// Compares all texts that are one token longer than drafts.
  void compare() {
    std::vector<Token> text;
    compare(text, 1, 0);
    EXPECT_GT(compared_, 1);
    EXPECT_EQ(deepest_, steps_) << "what is so deep is not tested";
  }

  /// How often a child was accepted that was not the first.
  int later_children() const { return later_children_; }

 private:
  void verify_once(const draft::TokenTree& tree) {
    text_.clear();
    sampling::TokenCounts counts = counts_;
    const auto choose = [&](int node) {
      const auto position = static_cast<std::int64_t>(prompt_.size() + text_.size());
      return choice_.choose({options_, 0, counts}, logits_after(text_), position, tree, node);
    };
    const auto take = [&](Token token, const draft::Origin& origin) {
      text_.push_back(token);
      counts.add(token);
      later_children_ += origin.rank > 0;
      return true;
    };
    deepest_ = std::max(deepest_, decode::verify(tree, verifier_, choose, take).accepted());
  }

  /// Compares all texts that begin with `text`.
  /// @param exact    the probability of `text`
  /// @param reached  that of drafts whose verification ended in it, decoding plainly from where it ended
  void compare(std::vector<Token>& text, double exact, double reached) {
    if (std::ssize(text) == steps_ + 1) {
      EXPECT_NEAR(reached, exact, 1e-12);
      ++compared_;
      return;
    }
    sampling::TokenCounts counts = counts_;
    for (const Token token : text) counts.add(token);
    sampling::Distribution p;
    sampling::TokenChoice(kFewTokens).distribute({options_, 0, counts}, logits_after(text), p);
    for (Token token = 0; token < kFewTokens; ++token) {
      text.push_back(token);
      const double ended = found_.contains(text) ? found_.at(text) : 0;
      if (p.of(token) > 0)
        compare(text, exact * p.of(token), reached * p.of(token) + ended);
      else
        EXPECT_EQ(ended, 0) << "the target never gives it";
      text.pop_back();
    }
  }

  sampling::SamplerOptions options_;
  std::vector<Token> prompt_;
  sampling::TokenCounts counts_;
  int steps_;
  EveryChance verdicts_;
  decode::RejectionChoice choice_{kFewTokens, &verdicts_};
  decode::Verifier verifier_;
  std::vector<Token> text_;  // of the verification
  std::map<std::vector<Token>, double> found_;
  int deepest_ = 0, later_children_ = 0, compared_ = 0;
};

}  // namespace outrider::test

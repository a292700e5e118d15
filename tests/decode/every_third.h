#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/sampling/token_constraint.h"

namespace outrider::decode {

inline constexpr Token kEnd = 2;

/// Token v may come next where v % 3 is the number of tokens before it % 3; the end token after a number of tokens only,
/// and nothing after that. No more tokens than `most`.
class EveryThird : public sampling::TokenConstraint {
 public:
  EveryThird(int vocab, int end_after, int most = 1000)
      : vocab_(vocab), end_after_(end_after), most_(most) {}

  sampling::TokenMask allowed() override {
    mask_.assign(sampling::mask_words(static_cast<std::size_t>(vocab_)), 0);
    for (Token token = 0; token < vocab_; ++token)
      if (may_come(token)) mask_[static_cast<std::size_t>(token) / 32] |= 1u << (token % 32);
    return mask_;
  }
  bool accept(Token token) override {
    if (!may_come(token)) return false;
    text_.push_back(token);
    return true;
  }
  void roll_back(int tokens) override {
    ASSERT_LE(tokens, std::ssize(text_));
    text_.resize(text_.size() - static_cast<std::size_t>(tokens));
  }
  bool is_complete() const override { return std::ssize(text_) >= end_after_; }
  std::string forced() override { return ""; }

  const std::vector<Token>& text() const { return text_; }

 private:
  bool may_come(Token token) const {
    if (!text_.empty() && text_.back() == kEnd) return false;
    if (std::ssize(text_) >= most_) return false;
    if (token == kEnd) return std::ssize(text_) == end_after_;
    return token % 3 == std::ssize(text_) % 3;
  }

  int vocab_, end_after_, most_;
  std::vector<Token> text_;
  std::vector<std::uint32_t> mask_;
};

}  // namespace outrider::decode

#pragma once

#include <cstddef>
#include <vector>

namespace outrider::test {

/// A Llama made by hand, without a feed-forward net: the first layer's heads fetch the two tokens
/// before each one, and of the second layer's eight heads exactly one is an induction head, which
/// attends to the token that followed the same two tokens before. The others attend elsewhere.
struct InductionLlama {
  static constexpr int kInductionLayer = 2;
  static constexpr int kHeads = 8;
  enum Head {
    kPrevious,   // at the token before
    kTooEarly,   // at the earlier occurrence itself: one before the position to copy from
    kLatest,     // at what followed the latest occurrence of the last token alone
    kInduction,  // at what followed the earlier occurrence of the last two tokens
    kSink,       // at the first token of all
    kSelf,       // at its own row
    kTooLate,    // one after the position to copy from
    kNowhere,    // at everything alike
  };
  static constexpr int kFirstWord = 3;
  static constexpr int kWords = 200;  // tokens with a code; token 0 begins a text

  std::vector<std::byte> gguf() const;
};

}  // namespace outrider::test

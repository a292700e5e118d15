#pragma once

#include <cstdint>
#include <vector>

#include "runtime/decode/attribution.h"

namespace outrider::study {

/// A text with the known sources of its tokens in the prompt, by number.
struct KnownCopies {
  std::vector<int> answer;  // [answer tokens] the source that a token was copied from; 0: none
  std::vector<int> prompt;  // [prompt tokens] the source that a token is part of; 0: none
};

/// Agreement of copied spans with known copies; sums over texts. "Predicted" are the tokens of spans of at
/// least `min_span` tokens, "gold" those known to be copied.
struct AttributionScore {
  int min_span = 1;
  std::int64_t predicted = 0;  // tokens
  std::int64_t gold = 0;       // tokens
  std::int64_t both = 0;       // tokens
  std::int64_t spans = 0;      // with gold tokens
  std::int64_t right = 0;      // of those, copied from the source of more than half of these tokens

  /// @param spans  of any length
  void add(const std::vector<decode::CopiedSpan>& spans, const KnownCopies& known);

  // 0 if the denominator is.
  double precision() const;
  double recall() const;
  double f1() const;
  double right_share() const;
};

}  // namespace outrider::study

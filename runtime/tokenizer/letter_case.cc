#include "runtime/tokenizer/letter_case.h"

#include <algorithm>
#include <iterator>

namespace outrider::text {
namespace {

struct CaseRange {
  char32_t first;
  char32_t last;  // inclusive
  LetterCase kind;
};

constexpr auto U = LetterCase::kUpper;
constexpr auto W = LetterCase::kLower;
constexpr auto E = LetterCase::kEither;

// Ascending; code points between ranges are kNeither.
constexpr CaseRange kCaseRanges[] = {
#include "runtime/tokenizer/letter_case_ranges.inc"
};

}  // namespace

LetterCase letter_case(char32_t code_point) {
  if (code_point >= 'a' && code_point <= 'z') return W;
  const auto* after = std::upper_bound(std::begin(kCaseRanges), std::end(kCaseRanges), code_point,
                                       [](char32_t c, const CaseRange& r) { return c < r.first; });
  if (after == std::begin(kCaseRanges)) return LetterCase::kNeither;
  const CaseRange& range = *std::prev(after);
  return code_point <= range.last ? range.kind : LetterCase::kNeither;
}

}  // namespace outrider::text

#include "runtime/tokenizer/letter_case.h"

#include "runtime/tokenizer/code_point_ranges.h"

namespace outrider::text {
namespace {

constexpr auto kU = LetterCase::kUpper;
constexpr auto kW = LetterCase::kLower;
constexpr auto kE = LetterCase::kEither;

// Ascending; code points between ranges are kNeither.
constexpr CodePointRange<LetterCase> kCaseRanges[] = {
#include "runtime/tokenizer/letter_case_ranges.inc"
};

}  // namespace

LetterCase letter_case(char32_t code_point) {
  if (code_point >= 'a' && code_point <= 'z') return kW;
  return kind_of(code_point, kCaseRanges, LetterCase::kNeither);
}

}  // namespace outrider::text

#include "runtime/tokenizer/unicode_class.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>

namespace outrider::text {
namespace {

struct ClassRange {
  char32_t first;
  char32_t last;  // inclusive
  UnicodeClass kind;
};

constexpr auto L = UnicodeClass::kLetter;
constexpr auto N = UnicodeClass::kNumber;
constexpr auto S = UnicodeClass::kSpace;

// Ascending; code points between ranges are kOther.
constexpr ClassRange kRanges[] = {
#include "runtime/tokenizer/unicode_ranges.inc"
};

UnicodeClass look_up(char32_t code_point) {
  const auto* after = std::upper_bound(std::begin(kRanges), std::end(kRanges), code_point,
                                       [](char32_t c, const ClassRange& r) { return c < r.first; });
  if (after == std::begin(kRanges)) return UnicodeClass::kOther;
  const ClassRange& range = *std::prev(after);
  return code_point <= range.last ? range.kind : UnicodeClass::kOther;
}

}  // namespace

UnicodeClass unicode_class(char32_t code_point) {
  static const std::array<UnicodeClass, 128> ascii = [] {
    std::array<UnicodeClass, 128> table{};
    for (std::size_t c = 0; c < table.size(); ++c) table[c] = look_up(static_cast<char32_t>(c));
    return table;
  }();
  return code_point < ascii.size() ? ascii[code_point] : look_up(code_point);
}

}  // namespace outrider::text

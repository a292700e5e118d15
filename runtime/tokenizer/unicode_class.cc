#include "runtime/tokenizer/unicode_class.h"

#include <array>
#include <cstddef>

#include "runtime/tokenizer/code_point_ranges.h"

namespace outrider::text {
namespace {

constexpr auto kL = UnicodeClass::kLetter;
constexpr auto kN = UnicodeClass::kNumber;
constexpr auto kS = UnicodeClass::kSpace;

// Ascending; code points between ranges are kOther.
constexpr CodePointRange<UnicodeClass> kRanges[] = {
#include "runtime/tokenizer/unicode_ranges.inc"
};

UnicodeClass look_up(char32_t code_point) {
  return kind_of(code_point, kRanges, UnicodeClass::kOther);
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

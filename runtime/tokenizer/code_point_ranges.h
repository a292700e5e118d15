#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace outrider::text {

/// Code points of one kind.
template <typename Kind>
struct CodePointRange {
  char32_t first;
  char32_t last;  // inclusive
  Kind kind;
};

/// The kind of a code point.
/// @param ranges     ascending, without overlaps
/// @param otherwise  the kind of code points between ranges
template <typename Kind, std::size_t kCount>
Kind kind_of(char32_t code_point, const CodePointRange<Kind> (&ranges)[kCount], Kind otherwise) {
  const auto* after = std::upper_bound(
      std::begin(ranges), std::end(ranges), code_point,
      [](char32_t c, const CodePointRange<Kind>& range) { return c < range.first; });
  if (after == std::begin(ranges)) return otherwise;
  const CodePointRange<Kind>& range = *std::prev(after);
  return code_point <= range.last ? range.kind : otherwise;
}

}  // namespace outrider::text

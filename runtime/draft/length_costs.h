#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace outrider::draft {

/// What passes cost after texts of a certain length.
struct LengthCosts {
  int from = 0;                 // tokens of the text, from which on
  std::vector<double> seconds;  // [1 + longest] of passes of 1, 2, … rows
};

/// The costs for a text of `tokens` tokens. @param all  ascending, from 0 tokens on
inline const LengthCosts& costs_after(std::span<const LengthCosts> all, int tokens) {
  std::size_t now = all.size() - 1;
  while (all[now].from > tokens) --now;
  return all[now];
}

}  // namespace outrider::draft

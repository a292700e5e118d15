#pragma once

#include <cstdint>
#include <vector>

namespace outrider::study {

/// The lengths of the oracle's rounds: how many tokens of the draft model are accepted in a row.
struct OracleLengths {
  static constexpr int kParts = 10;

  std::vector<std::int64_t> counts;  // rounds by length, from 0
  std::vector<int> of_first_text;    // [rounds] as an example: figure 3 of the paper
  // Sums of lengths, and rounds, by where in its text the round is, from its first to its last.
  std::vector<double> sums = std::vector<double>(kParts);
  std::vector<std::int64_t> rounds = std::vector<std::int64_t>(kParts);

  /// The rounds of one text.
  void add(const std::vector<int>& lengths);
  double mean() const;
  double deviation() const;
};

}  // namespace outrider::study

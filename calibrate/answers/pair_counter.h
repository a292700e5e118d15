#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "calibrate/answers/answer.h"
#include "runtime/draft/parallelspec/pair_counts.h"

namespace outrider::calibrate {

/// Counts which tokens of answers follow each other, loops left out.
class PairCounter {
 public:
  explicit PairCounter(int vocab);

  void add(const Answer& answer);

  /// All that was counted, for a journal.
  std::vector<std::int32_t> numbers() const;
  /// Adds what another one counted. @return false, and nothing is added, where these are not its numbers
  bool add(std::span<const std::int32_t> numbers);

  /// Tokens that were counted.
  std::int64_t tokens() const { return tokens_; }
  /// The share of all occurrences that is of pairs with at least so many.
  double share(int least_count) const;
  /// @param least_count  rarer pairs are left out
  draft::PairCounts pairs(int least_count) const;

 private:
  std::int64_t tokens_ = 0;
  std::vector<std::int32_t> occurrences_;                  // [vocabulary]
  std::unordered_map<std::uint64_t, std::int32_t> pairs_;  // by both tokens
};

}  // namespace outrider::calibrate

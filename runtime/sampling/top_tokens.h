#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "runtime/base/token.h"

namespace outrider::sampling {

/// A token of a ranking.
struct RankedToken {
  Token token;
  double value;  // what ranks it
  double score;  // the same without noise
};

/// Collects the k tokens with the largest values, best first; the lowest id first among equals.
/// Allocates nothing once `top` has had as many.
class TopTokens {
 public:
  TopTokens(int k, std::vector<RankedToken>& top) : k_(static_cast<std::size_t>(k)), top_(top) {
    top_.clear();
  }

  /// The value that a token must reach.
  double least() const {
    return top_.size() < k_ ? -std::numeric_limits<double>::infinity() : top_.back().value;
  }
  bool out_of_reach(double most) const { return most < least(); }
  /// Tokens with a value of -infinity are left out.
  void add(const RankedToken& token);

 private:
  std::size_t k_;
  std::vector<RankedToken>& top_;
};

}  // namespace outrider::sampling

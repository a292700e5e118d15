#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/sampling/candidates.h"

namespace outrider::sampling {

/// Top-p: the shortest run of tokens, best first, whose probability together is at least p; never
/// empty. Exact: probabilities are counted in whole units, of which the best token has 2^44, so that
/// neither the order of a sum nor omitted terms matter.
///
/// Its memory is kept: a second call allocates nothing.
class Nucleus {
 public:
  /// @param scores  of the vocabulary, of which the best is 0
  /// @param p       below 1
  /// @param run     in no particular order
  void find(std::span<const double> scores, double p, std::vector<Candidate>& run);

  /// Leaves the nucleus of the distribution over these candidates.
  void cut(std::vector<Candidate>& candidates, double p);

 private:
  struct Weighted {
    Candidate candidate;
    std::int64_t units;
  };
  /// Bounds on the probability, in units, that is not among the candidates.
  struct Rest {
    double least = 0;
    double most = 0;
  };

  void weigh(const std::vector<Candidate>& candidates);
  bool shortest_run(double p, const Rest& rest, std::vector<Candidate>& run);
  static Rest bound_unlikely(std::span<const double> scores);
  Rest weigh_unlikely(std::span<const double> scores);

  std::vector<double> weights_;
  std::vector<Weighted> weighted_;  // candidates
};

}  // namespace outrider::sampling

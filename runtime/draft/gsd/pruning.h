#pragma once

#include "runtime/base/math.h"

namespace outrider::draft {

/// Which nodes of a tree are not expanded; they are verified all the same (Gong et al. 2024, section
/// 4.2). All are probabilities; 0: prunes nothing.
struct Pruning {
  double probability = 0.2;  // theta_prob: of a node after its path
  double sibling = 0.3;      // theta_sib: as a share of its likeliest sibling's
  double path = 0;           // of the whole path; not of the paper

  bool operator==(const Pruning&) const = default;
};

/// Pruning in logarithms.
class Pruner {
 public:
  explicit Pruner(const Pruning& pruning)
      : least_(math::log(pruning.probability)),
        least_share_(math::log(pruning.sibling)),
        least_path_(math::log(pruning.path)) {}

  /// @param log_largest  of the likeliest sibling, the node itself included
  bool prunes(double log_q, double log_largest, double log_path) const {
    return log_q < least_ || log_q < least_share_ + log_largest || log_path < least_path_;
  }

 private:
  double least_;
  double least_share_;
  double least_path_;
};

}  // namespace outrider::draft

#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "calibrate/gsd/gsd_replay.h"

namespace outrider::calibrate {

/// What the branches of a draft model's trees have in common (Gong et al. 2024, figure 3 and table 5). The trees are not
/// merged, and pruned as published.
struct Redundancy {
  int children = 0;  // k
  std::int64_t trees = 0;
  std::int64_t nodes = 0;
  /// [n - 1]: nodes in a run of n drafted tokens that another branch has too.
  std::array<std::int64_t, 4> repeated_nodes = {};

  struct Merging {
    std::int64_t nodes = 0;  // open nodes that an earlier open node of another branch is like
    /// Sum over them, in nats: KL of the draft's distribution after a node's own path to that after the other's.
    double divergence = 0;
    double mean_divergence() const {
      return nodes == 0 ? 0 : divergence / static_cast<double>(nodes);
    }
  };
  /// [tau]: a node is like another if the last tau drafted tokens are the same.
  std::array<Merging, 5> merging = {};
};

/// Finds it in trees while they are recorded, for every number of children from 2 on.
class RedundancyStudy {
 public:
  /// @param ranking        must outlive it; of the draft model that is recorded
  /// @param most_children  of the recorded trees
  RedundancyStudy(draft::NodeRanking& ranking, int most_children);

  /// The tree at a position of a stretch. @param logits  [nodes of it][draft vocabulary]; empty for leaves
  void add(RecordedStretch& stretch, std::size_t position,
           std::span<const std::vector<float>> logits);

  const std::vector<Redundancy>& by_children() const { return found_; }

 private:
  draft::NodeRanking& ranking_;
  std::vector<Redundancy> found_;
};

}  // namespace outrider::calibrate

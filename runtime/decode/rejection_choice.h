#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/draft/token_tree.h"
#include "runtime/sampling/chance.h"
#include "runtime/sampling/token_choice.h"

namespace outrider::decode {

/// Replaces the target's own choices in `verify`, to verify drawn drafts by speculative sampling
/// (Leviathan, Kalman, Matias 2023, algorithm 1; for several children, drawn without replacement, Jeon et
/// al. 2024, Recursive Speculative Decoding). The children of a node are tried in the order
/// drawn: each is accepted with probability min(1, p / q); if it is not, p becomes norm(max(0, p - q)),
/// which never gives it, and q what it leaves of q. After the last the token is drawn from what p has
/// become. p is the target's distribution and q the one that the first child was drawn from, both after all
/// penalties and filters. The text has the distribution of plain decoding, but depends on the drafts.
class RejectionChoice {
 public:
  /// @param chance  decides and draws; nullptr: the sequence's seed does
  explicit RejectionChoice(int vocab, sampling::Chance* chance = nullptr)
      : choice_(vocab), chance_(chance) {}

  /// The token after a node's row.
  /// @param logits    [vocab] of the row
  /// @param position  of the token
  /// @param tree      the rank of a node is its number among its siblings, in the order drawn; with what children were drawn
  ///                  from
  /// @throws std::logic_error for a child that cannot have been drawn
  Token choose(const sampling::SequenceSampling& sampling, std::span<const float> logits,
               std::int64_t position, const draft::TokenTree& tree, int node);

 private:
  void find_children(const draft::TokenTree& tree, int node);

  sampling::TokenChoice choice_;
  sampling::Chance* chance_;
  std::vector<int> children_;  // of the node, in the order drawn
  sampling::Distribution p_;
  sampling::Distribution residual_;
  sampling::Distribution left_;  // of q
};

}  // namespace outrider::decode

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/draft/drafter.h"
#include "runtime/sampling/chance.h"
#include "runtime/sampling/chooser.h"

namespace outrider::draft {

/// Draws children at random, for Verification::kRejection, and keeps what they were drawn from.
///
/// The children of a node are drawn without replacement: the first from q, each later one from q
/// without the tokens drawn before it, renormalised (Jeon et al. 2024, Recursive Speculative Decoding). How many there
/// are depends on q only, never on which are drawn.
class DrawnChildren {
 public:
  /// @param chance  draws; nullptr: the sequence's seed does
  explicit DrawnChildren(Verification verification, sampling::Chance* chance = nullptr)
      : verification_(verification), chance_(chance) {}

  /// Whether children are drawn; at temperature 0, where nothing is random, they are chosen.
  bool draws(const sampling::SamplerOptions& options) const {
    return verification_ == Verification::kRejection && options.temperature > 0;
  }

  /// Forgets the draft before.
  void restart();

  struct Group {
    int node;               // whose children, by the drafter's numbers
    int children;           // at most; fewer where q has fewer tokens
    std::int64_t position;  // of the children
  };
  /// Draws the children of a node, once.
  /// @param chooser  among the tokens that can be drafted
  /// @param row      after the node
  /// @param drawn    in the order drawn; `score` is the logarithm of a token's probability in q
  void draw(sampling::Chooser& chooser, const sampling::SequenceSampling& sampling,
            const engine::LogitsRow& row, const Group& group,
            std::vector<sampling::RankedToken>& drawn);

  /// q of a node; null where its children were not drawn. Until the next draft.
  const sampling::Distribution* drawn_from(int node) const {
    const auto number = static_cast<std::size_t>(node);
    return number < group_of_.size() && group_of_[number] < groups_ ? &from_[group_of_[number]]
                                                                    : nullptr;
  }
  /// Notes in a tree with the drafter's numbers what the children of its nodes were drawn from.
  void note_in(TokenTree& tree) const {
    for (int node = 0; node < tree.size(); ++node)
      if (const sampling::Distribution* const q = drawn_from(node)) tree.note_drawn_from(node, *q);
  }

 private:
  Verification verification_;
  sampling::Chance* chance_;
  std::vector<sampling::Distribution> from_;  // of each group; those of earlier drafts are reused
  std::vector<std::size_t> group_of_;         // by node
  std::size_t groups_ = 0;
  int drawn_ = 0;                // tokens of the draft
  sampling::Distribution left_;  // of q
};

}  // namespace outrider::draft

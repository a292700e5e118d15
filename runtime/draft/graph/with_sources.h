#pragma once

#include <memory>
#include <vector>

#include "runtime/draft/composed_drafter.h"

namespace outrider::draft {

/// A tree drafter whose trees contain the drafts of others as well, its sources: they fill the tree first, and its own
/// drafts continue from these nodes; see TreeDrafter. The sources are not told what was accepted.
class WithSources : public ComposedDrafter {
 public:
  /// @param sources  of Verification::kCoupled, as the model's
  /// @param model    one that continues trees that are not empty: a TreeDrafter
  WithSources(std::vector<std::unique_ptr<Drafter>> sources, std::unique_ptr<Drafter> model);

  void fill(const DraftContext& context, TokenTree& tree) override {
    for (std::size_t i = 0; i < num_parts(); ++i) draft_with(i, context, tree);
  }
  void verified(std::span<const int> accepted, Token next) override {
    tell(num_parts() - 1, accepted, next);
  }
};

}  // namespace outrider::draft

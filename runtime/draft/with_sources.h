#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "runtime/draft/composed_drafter.h"

namespace outrider::draft {

/// A drafter whose tree is verified together with those of others, its sources, merged with them by shared prefix. The
/// sources' nodes come first where there is no room for all.
class WithSources : public ComposedDrafter {
 public:
  /// @param sources, drafter  of Verification::kCoupled
  /// @param nodes             the drafter's own tree has at most so many nodes together with those of the sources
  WithSources(std::vector<std::unique_ptr<Drafter>> sources, std::unique_ptr<Drafter> drafter,
              int nodes = std::numeric_limits<int>::max());

 protected:
  void compose(const DraftContext& context, TokenTree& tree) override;

 private:
  int nodes_;
};

}  // namespace outrider::draft

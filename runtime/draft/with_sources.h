#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "runtime/draft/admission.h"
#include "runtime/draft/composed_drafter.h"
#include "runtime/draft/length_costs.h"

namespace outrider::draft {

/// A drafter whose tree is verified together with those of others, its sources, merged with them by shared prefix. Where
/// calibration has counted how often drafts are accepted (Drafter::set_acceptance), the target is asked about the nodes
/// that are the most likely to be accepted, as many as pay; else the sources' nodes come first where there is no room for
/// all.
class WithSources : public ComposedDrafter {
 public:
  /// @param sources, drafter  of Verification::kCoupled
  /// @param nodes             the drafter's own tree has at most so many nodes together with those of the sources
  /// @param passes            of the target, ascending from 0 tokens on, where they are known; ignored where the acceptance
  ///                          of drafts is not
  WithSources(std::vector<std::unique_ptr<Drafter>> sources, std::unique_ptr<Drafter> drafter,
              int nodes = std::numeric_limits<int>::max(), std::vector<LengthCosts> passes = {});

 protected:
  void compose(const DraftContext& context, TokenTree& tree) override;

 private:
  void admit(const DraftContext& context, TokenTree& tree);

  int nodes_;
  std::vector<LengthCosts> passes_;
  TokenTree all_{0};  // of all parts
  Admission admission_;
};

}  // namespace outrider::draft

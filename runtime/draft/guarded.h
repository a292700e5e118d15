#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/draft/forwarding_drafter.h"
#include "runtime/draft/length_costs.h"
#include "runtime/draft/pause_rule.h"

namespace outrider::draft {

/// What a drafter's rounds cost.
struct DraftPrices {
  std::vector<LengthCosts> passes;  // of the target, ascending from 0 tokens on
  double step_share = 0;            // a drafted token's own cost in passes over one row
};

/// A drafter that pauses where its drafts cost more than they save in the text: see PauseRule. In a pause it
/// is not asked for drafts, but observes what it wants to observe.
class Guarded : public ForwardingDrafter {
 public:
  Guarded(std::unique_ptr<Drafter> drafter, DraftPrices prices);

  /// The drafter's, and the rounds without it.
  DrafterReport report(double seconds) const override;
  void verified(std::span<const int> accepted, Token next) override;

 protected:
  void fill(const DraftContext& context, TokenTree& tree) override;
  int begin(const TextStart& text) override;

 private:
  double cost(int drafted) const;

  DraftPrices prices_;
  PauseRule pause_;
  std::int64_t paused_rounds_ = 0;
  // State of the round.
  int tokens_ = 0;  // of the text before it
  int drafted_ = 0;
  bool is_asked_ = false;
};

}  // namespace outrider::draft

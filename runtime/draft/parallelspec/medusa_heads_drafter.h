#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/draft/drafter.h"
#include "runtime/draft/parallelspec/depth_drafts.h"
#include "runtime/draft/parallelspec/medusa_heads_passes.h"

namespace outrider::draft {

/// Drafts with Medusa's heads (Cai et al. 2024) on the last state of the target that is verified: that of the token
/// before the root, which is what the target chose there. The heads' logits are those of DepthDrafts. It keeps
/// nothing of the text but that state.
class MedusaHeadsDrafter : public Drafter {
 public:
  /// @param residual  engine of `model.residual`, which other drafters may share
  /// @param head      of `model.layer`, likewise
  /// @throws std::logic_error as DepthDrafts and MedusaHeadsPasses
  MedusaHeadsDrafter(std::shared_ptr<const ParallelSpecModel> model,
                     std::shared_ptr<engine::Engine> residual,
                     const std::shared_ptr<engine::Engine>& head,
                     const ParallelSpecDrafterOptions& options);

  std::string name() const override { return method_of(ParallelSpecModel::Flavour::kMedusaHeads); }
  DrafterReport report(double seconds) const override;
  DrafterTraits traits() const override;
  void observe(const engine::Pass& pass, const ObservedRows& rows) override;

 protected:
  void fill(const DraftContext& context, TokenTree& tree) override;
  int begin(const TextStart& text) override;

 private:
  DepthDrafts drafts_;
  MedusaHeadsPasses passes_;
  std::vector<float> state_;  // [width] observed last; empty: none of the text
  std::int64_t rounds_ = 0;
};

}  // namespace outrider::draft

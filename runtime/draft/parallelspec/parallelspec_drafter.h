#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/draft/drafter.h"
#include "runtime/draft/model/held_text.h"
#include "runtime/draft/parallelspec/depth_drafts.h"
#include "runtime/draft/parallelspec/parallelspec_passes.h"

namespace outrider::draft {

/// Drafts with ParallelSpec's drafter (Xiao et al. 2024): one pass a round, over the tokens committed since
/// the last one, each with the target's true state, and masks, whose logits are those of DepthDrafts.
/// EAGLE-AR drafts depth by depth: a pass for each, over those of the depth's tokens that others are to follow.
class ParallelSpecDrafter : public Drafter {
 public:
  /// @param engine  of `model.layer`, which other drafters may share
  /// @throws std::logic_error as DepthDrafts
  ParallelSpecDrafter(std::shared_ptr<const ParallelSpecModel> model,
                      const std::shared_ptr<engine::Engine>& engine,
                      const ParallelSpecDrafterOptions& options);

  std::string name() const override;
  /// Reports the prefill of its model separately.
  DrafterReport report(double seconds) const override;
  DrafterTraits traits() const override;
  std::int64_t text_bytes(int tokens) const override;
  void observe(const engine::Pass& pass, const ObservedRows& rows) override;

 protected:
  void fill(const DraftContext& context, TokenTree& tree) override;
  int begin(const TextStart& text) override;
  void take_over(const Drafter& like, int tokens) override;

 private:
  bool observes() const { return model_->reads_states() && drafts_.options().length > 0; }
  void read(std::span<const Token> text, int depths);
  std::size_t width() const { return static_cast<std::size_t>(model_->layer.config.width); }

  std::shared_ptr<const ParallelSpecModel> model_;
  DepthDrafts drafts_;
  ParallelSpecPasses passes_;
  DepthDrafts::Logits logits_;

  // State of the text.
  HeldText held_;              // as it was when it was read last
  HeldText observed_;          // the tokens whose rows were observed
  std::vector<float> states_;  // [rows observed since it was read, width]
  double prefill_seconds_ = 0;
  std::int64_t prefilled_ = 0;  // rows
  std::int64_t rounds_ = 0;
  std::int64_t rows_ = 0;  // real ones, after the prefill
};

}  // namespace outrider::draft

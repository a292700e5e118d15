#include "runtime/draft/parallelspec/medusa_heads_drafter.h"

#include <utility>

namespace outrider::draft {

MedusaHeadsDrafter::MedusaHeadsDrafter(std::shared_ptr<const ParallelSpecModel> model,
                                       std::shared_ptr<engine::Engine> residual,
                                       const std::shared_ptr<engine::Engine>& head,
                                       const ParallelSpecDrafterOptions& options)
    : drafts_(*model, options, DepthDrafts::make_chooser(*head, *model, options)),
      passes_(std::move(model), std::move(residual), head) {}

DrafterReport MedusaHeadsDrafter::report(double seconds) const {
  return {{{name(), seconds}},
          {{"rounds", rounds_}, {"stopped_by_threshold", drafts_.stopped_by_threshold()}}};
}

int MedusaHeadsDrafter::begin(const TextStart& text) {
  state_.clear();
  rounds_ = 0;
  drafts_.forget_counts();
  return text.kept;
}

DrafterTraits MedusaHeadsDrafter::traits() const {
  DrafterTraits traits = drafts_.traits();
  if (drafts_.options().length > 0) traits.wants.layers = {engine::kFinalNorm};
  return traits;
}

void MedusaHeadsDrafter::observe(const engine::Pass& pass, const ObservedRows& rows) {
  if (rows.kept.empty()) return;
  const std::span<const float> state = pass.observed.state(engine::kFinalNorm, rows.kept.back());
  state_.assign(state.begin(), state.end());
}

void MedusaHeadsDrafter::fill(const DraftContext& context, TokenTree& tree) {
  const int most = drafts_.most_of(tree.limits());
  // The first token of a text has none before it.
  if (most < 1 || state_.empty()) return;
  passes_.forward(state_, most);
  ++rounds_;
  drafts_.run(context, most, {[this](int depth, int /*i*/) { return passes_.logits(depth); }},
              tree);
}

}  // namespace outrider::draft

#include "runtime/draft/parallel/medusa_heads_drafter.h"

#include <utility>

namespace outrider::draft {

MedusaHeadsDrafter::MedusaHeadsDrafter(std::shared_ptr<const ParallelModel> model,
                                       std::shared_ptr<engine::Engine> residual,
                                       const std::shared_ptr<engine::Engine>& head,
                                       ParallelDrafterOptions options)
    : drafts_(*model, head->score_kernels(), std::move(options)),
      passes_(std::move(model), std::move(residual), head) {}

std::vector<DrafterCount> MedusaHeadsDrafter::counts() const {
  return {{"rounds", rounds_}, {"stopped_by_threshold", drafts_.stopped_by_threshold()}};
}

void MedusaHeadsDrafter::reset() {
  state_.clear();
  rounds_ = 0;
  drafts_.forget_counts();
}

engine::TapRequest MedusaHeadsDrafter::wants() const {
  if (drafts_.options().length == 0) return {};
  return {.layers = {engine::kFinalNorm}};
}

void MedusaHeadsDrafter::observe(const engine::Pass& pass, std::span<const int> rows) {
  if (rows.empty()) return;
  const std::span<const float> state = pass.observed.state(engine::kFinalNorm, rows.back());
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

#include "runtime/draft/parallelspec/medusa_heads_passes.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "runtime/base/math.h"

namespace outrider::draft {

MedusaHeadsPasses::MedusaHeadsPasses(std::shared_ptr<const ParallelSpecModel> model,
                                     std::shared_ptr<engine::Engine> residual,
                                     std::shared_ptr<engine::Engine> head)
    : model_(std::move(model)),
      residual_(std::move(residual)),
      head_(std::move(head)),
      width_(static_cast<std::size_t>(model_->layer.config.width)) {
  if (!model_->has_heads()) throw std::logic_error("MedusaHeadsPasses: a model without heads");
  const auto heads = static_cast<std::size_t>(model_->masks());
  residual_cache_ = residual_->make_cache(1);
  head_cache_ = head_->make_cache(model_->masks());
  head_pass_.rows.reserve(heads);
  negated_.resize(heads * width_);
  exp_.resize(heads * width_);
  states_.resize(heads * width_);
}

void MedusaHeadsPasses::forward(std::span<const float> state, int heads) {
  BlocksStep blocks(*this, state, heads);
  engine::forward_step(*residual_, residual_pass_, blocks);
  HeadsStep logits(*this, heads);
  engine::forward_step(*head_, head_pass_, logits);
}

MedusaHeadsPasses::BlocksStep::BlocksStep(MedusaHeadsPasses& passes, std::span<const float> state,
                                          int heads)
    : passes_(passes), state_(state), heads_(heads) {
  if (heads < 1 || heads > passes.heads() || state.size() != passes.width_)
    throw std::logic_error("MedusaHeadsPasses: other heads, or a state of another width");
}

void MedusaHeadsPasses::BlocksStep::add_rows(engine::Pass& pass) {
  const int sequence = pass.add_sequence(*passes_.residual_cache_);
  pass.rows.push_back({.sequence = sequence, .wants_logits = true, .state = state_.data()});
}

/// Writes the outputs of the first blocks.
void MedusaHeadsPasses::BlocksStep::take(const engine::StepRows& rows) {
  const std::size_t width = passes_.width_;
  const engine::LogitsRow row = rows.logits(0);
  const auto products = row.numbers().first(static_cast<std::size_t>(heads_) * width);
  std::transform(products.begin(), products.end(), passes_.negated_.begin(),
                 [](float x) { return -static_cast<double>(x); });
  math::exp_each(std::span(passes_.negated_).first(products.size()),
                 std::span(passes_.exp_).first(products.size()));
  for (std::size_t i = 0; i < products.size(); ++i)
    passes_.states_[i] = static_cast<float>(static_cast<double>(state_[i % width]) -
                                            passes_.negated_[i] /
                                                (1 + passes_.exp_[i]));  // SiLU(x) = x / (1 + e^-x)
}

void MedusaHeadsPasses::HeadsStep::add_rows(engine::Pass& pass) {
  const int sequence = pass.add_sequence(*passes_.head_cache_);
  for (std::size_t i = 0; i < static_cast<std::size_t>(heads_); ++i)
    pass.rows.push_back({.sequence = sequence,
                         .wants_logits = true,
                         .state = passes_.states_.data() + i * passes_.width_});
}

}  // namespace outrider::draft

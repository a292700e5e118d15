#include "runtime/draft/parallel/medusa_heads_passes.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "runtime/base/math.h"

namespace outrider::draft {

MedusaHeadsPasses::MedusaHeadsPasses(std::shared_ptr<const ParallelModel> model,
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
  residual_pass_.sequences.assign(1, residual_cache_.get());
  head_pass_.sequences.assign(1, head_cache_.get());
  residual_pass_.rows.assign(1, {.wants_logits = true});
  head_pass_.rows.reserve(heads);
  negated_.resize(heads * width_);
  exp_.resize(heads * width_);
  states_.resize(heads * width_);
}

void MedusaHeadsPasses::forward(std::span<const float> state, int heads) {
  if (heads < 1 || heads > model_->masks() || state.size() != width_)
    throw std::logic_error("MedusaHeadsPasses::forward: other heads, or a state of another width");
  residual_pass_.rows.front().state = state.data();
  residual_->forward(residual_pass_);
  const auto count = static_cast<std::size_t>(heads);
  add_blocks(state, count);
  head_pass_.rows.clear();
  for (std::size_t i = 0; i < count; ++i)
    head_pass_.rows.push_back({.wants_logits = true, .state = states_.data() + i * width_});
  head_->forward(head_pass_);
}

/// Writes the outputs of the first blocks.
void MedusaHeadsPasses::add_blocks(std::span<const float> state, std::size_t count) {
  const std::span<const float> products = residual_pass_.row_logits(0).first(count * width_);
  std::transform(products.begin(), products.end(), negated_.begin(),
                 [](float x) { return -static_cast<double>(x); });
  math::exp_each(std::span(negated_).first(products.size()),
                 std::span(exp_).first(products.size()));
  for (std::size_t i = 0; i < products.size(); ++i)
    states_[i] = static_cast<float>(static_cast<double>(state[i % width_]) -
                                    negated_[i] / (1 + exp_[i]));  // SiLU(x) = x / (1 + e^-x)
}

}  // namespace outrider::draft

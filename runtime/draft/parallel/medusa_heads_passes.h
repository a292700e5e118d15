#pragma once

#include <memory>
#include <span>
#include <vector>

#include "runtime/draft/parallel/parallel_model.h"
#include "runtime/engine/engine.h"

namespace outrider::draft {

/// Medusa's heads on a state: two passes, over the state for the blocks' products and over the blocks' outputs
/// for the logits. Rows depend on the state alone, and passes like those before allocate nothing.
class MedusaHeadsPasses {
 public:
  /// @param residual  engine of `model.residual`
  /// @param head      of `model.layer`
  /// @throws std::logic_error for a model of another flavour
  MedusaHeadsPasses(std::shared_ptr<const ParallelModel> model,
                    std::shared_ptr<engine::Engine> residual, std::shared_ptr<engine::Engine> head);

  /// How many there are.
  int heads() const { return model_->masks(); }
  /// @param state  [width] of the target after its final norm, of the last token but one of a text
  /// @param heads  the first so many, at least 1
  /// @throws std::logic_error for more heads than there are, and for a state of another width
  void forward(std::span<const float> state, int heads);
  /// The last call's logits of the token after the text (0), of the one after that and so on.
  engine::LogitsRow logits(int draft) const { return {&head_pass_.logits, draft}; }

 private:
  void add_blocks(std::span<const float> state, std::size_t count);

  std::shared_ptr<const ParallelModel> model_;
  std::shared_ptr<engine::Engine> residual_, head_;
  std::size_t width_;
  std::unique_ptr<engine::KvCache> residual_cache_,
      head_cache_;  // without keys: a pass needs a slot for each row
  engine::Pass residual_pass_, head_pass_;
  std::vector<double> negated_, exp_;  // [heads * width]: -W_i f, and e to its power
  std::vector<float> states_;          // [heads, width]
};

}  // namespace outrider::draft

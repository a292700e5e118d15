#pragma once

#include <memory>
#include <span>
#include <vector>

#include "runtime/draft/parallelspec/parallelspec_model.h"
#include "runtime/engine/pass_steps.h"

namespace outrider::draft {

/// Medusa's heads on a state: two passes, over the state for the blocks' products and over the blocks' outputs
/// for the logits. Rows depend on the state alone, and passes like those before allocate nothing.
class MedusaHeadsPasses {
 public:
  /// @param residual  engine of `model.residual`
  /// @param head      of `model.layer`
  /// @throws std::logic_error for a model of another flavour
  MedusaHeadsPasses(std::shared_ptr<const ParallelSpecModel> model,
                    std::shared_ptr<engine::Engine> residual, std::shared_ptr<engine::Engine> head);

  /// How many there are.
  int heads() const { return model_->masks(); }
  /// @param state  [width] of the target after its final norm, of the last token but one of a text
  /// @param heads  the first so many, at least 1
  /// @throws std::logic_error for more heads than there are, and for a state of another width
  void forward(std::span<const float> state, int heads);

  // Its two steps, each in a pass of its own engine; the second after the first.

  /// The blocks' products of a state, and from them their outputs. Lives as long as the pass.
  class BlocksStep : public engine::PassStep {
   public:
    /// As `forward`.
    BlocksStep(MedusaHeadsPasses& passes, std::span<const float> state, int heads);
    void add_rows(engine::Pass& pass) override;
    void take(const engine::StepRows& rows) override;

   private:
    MedusaHeadsPasses& passes_;
    std::span<const float> state_;
    int heads_;
  };
  /// The heads' logits of the blocks' outputs.
  class HeadsStep : public engine::PassStep {
   public:
    HeadsStep(MedusaHeadsPasses& passes, int heads) : passes_(passes), heads_(heads) {}
    void add_rows(engine::Pass& pass) override;
    void take(const engine::StepRows& rows) override { passes_.taken_ = rows; }

   private:
    MedusaHeadsPasses& passes_;
    int heads_;
  };

  /// The last call's logits of the token after the text (0), of the one after that and so on.
  engine::LogitsRow logits(int draft) const { return taken_.logits(draft); }

 private:
  std::shared_ptr<const ParallelSpecModel> model_;
  std::shared_ptr<engine::Engine> residual_, head_;
  std::size_t width_;
  std::unique_ptr<engine::KvCache> residual_cache_,
      head_cache_;  // without keys: a pass needs a slot for each row
  engine::Pass residual_pass_, head_pass_;
  engine::StepRows taken_;             // of the last pass over heads
  std::vector<double> negated_, exp_;  // [heads * width]: -W_i f, and e to its power
  std::vector<float> states_;          // [heads, width]
};

}  // namespace outrider::draft

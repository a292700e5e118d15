#pragma once

#include <string>
#include <vector>

#include "train/draft/draft_model.h"
#include "train/losses/distillation.h"
#include "train/trainer/objective.h"

namespace outrider::train {

struct DraftOptions {
  std::vector<int> layers = {};  // of the target, counted from 1; empty: the first and the last
  DistillationOptions loss = {};
  Precision precision = Precision::kF32;
  int most_context = 2048;        // prompt tokens before an answer, the last ones; 0: all
  std::string started_from = {};  // hash of an earlier draft's weights; empty: the target's layers
};

/// A draft model that learns a target's distribution on the target's own text.
class DraftObjective : public Objective {
 public:
  /// @param head_tokens  ascending
  /// @param tensors      of the parameters: their device, and kFloat, or kDouble for tests
  DraftObjective(const model::Model& target, std::vector<Token> head_tokens, DraftOptions options,
                 const at::TensorOptions& tensors = at::kFloat);

  DraftModel& draft() { return draft_; }
  const DraftModel& draft() const { return draft_; }
  const DraftOptions& options() const { return options_; }

  std::vector<Parameter> parameters() override { return draft_.parameters(); }
  StepLoss accumulate(std::span<const data::Trace> traces, double scale) override;
  /// See validate_draft.
  Validation validate(std::span<const data::Trace> traces) override;
  double flops_per_token() const override;
  Precision precision() const override { return options_.precision; }
  nlohmann::json identity() const override;

  /// The draft model as the runtime takes it, in f32.
  model::Model to_model() const { return draft_.model(target_); }

 private:
  const model::Model& target_;
  DraftOptions options_;
  DraftModel draft_;
};

}  // namespace outrider::train

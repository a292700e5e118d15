#pragma once

#include <memory>
#include <string>
#include <vector>

#include "train/losses/distillation.h"
#include "train/parallelspec/export_drafter.h"
#include "train/parallelspec/group_drafter.h"
#include "train/parallelspec/trained_parallelspec.h"
#include "train/trainer/objective.h"

namespace outrider::train {

struct ParallelSpecOptions {
  ParallelSpecShape shape = {};
  bool final_norm = true;     // before the head; Medusa's heads have none
  int groups = 32;            // of a trace in a step, at most; 0: all
  double feature_weight = 1;  // of SmoothL1 on the states, EAGLE only
  double token_weight = 0.1;  // of the loss on tokens
  double slot_decay = 1;      // slot s counts slot_decay^s, s = 0 for the first drafted token
  DistillationOptions tokens = {.hard_share = 1, .label = HardLabel::kTaken};
  Precision precision = Precision::kF32;
  int most_context = 2048;  // prompt tokens before an answer, the last ones; 0: all
  std::string started_from =
      {};  // hash of an earlier drafter's weights; empty: the target's last layer
};

/// The sum over the slots s of groups, where they have a loss (equations 3 and 4 of the paper), of
///   slot_decay^s (feature_weight SmoothL1(f, f̂) + token_weight L(q))
/// SmoothL1 is the mean over a state's numbers, f̂ the drafter's output, where the batch has states to learn; L is
/// distillation's loss of q, the head on f̂. A token without a head row has the first part only when labels are hard.
/// @param outputs  [groups, slots, width]
/// @return a number in double
at::Tensor parallelspec_loss(const at::Tensor& outputs, const at::Tensor& head,
                             const GroupBatch& batch, const ParallelSpecOptions& options);

/// ParallelSpec's drafter, or one that it is compared with, trained by groups on the target's own text.
class ParallelSpecObjective : public Objective {
 public:
  /// @param head_tokens  ascending
  /// @param tensors      of the parameters: their device, and kFloat, or kDouble for tests
  ParallelSpecObjective(const model::Model& target, std::vector<Token> head_tokens,
                        ParallelSpecOptions options, const at::TensorOptions& tensors = at::kFloat);

  GroupDrafter& drafter() { return *drafters_.any; }
  const GroupDrafter& drafter() const { return *drafters_.any; }
  /// What the runtime serves of it; null for a drafter for export.
  ServedDrafter* served_drafter() { return drafters_.served; }
  /// Null for a drafter for export, and for Medusa's heads, which have no layer.
  ParallelSpecDrafter* layer_drafter() { return drafters_.layer; }
  /// The drafter for export; null for others.
  const ExportDrafter* export_drafter() const { return drafters_.exported; }
  const ParallelSpecOptions& options() const { return options_; }

  std::vector<Parameter> parameters() override { return drafters_.any->parameters(); }
  void begin_step(std::int64_t step) override { step_ = step; }
  StepLoss accumulate(std::span<const data::Trace> traces, double scale) override;
  /// See validate_parallelspec.
  Validation validate(std::span<const data::Trace> traces) override;
  Precision precision() const override { return options_.precision; }
  nlohmann::json identity() const override;

  /// The groups of a step. @param traces  with states where the drafter reads any
  GroupBatch batch(std::span<const data::Trace> traces) const;
  /// The drafter as the runtime takes it, in f32; not of one for export.
  draft::ParallelSpecModel to_model() const { return drafters_.served->model(target_); }

 private:
  /// The drafter, by what it is.
  struct Drafters {
    std::unique_ptr<GroupDrafter> any;
    ServedDrafter* served = nullptr;
    ParallelSpecDrafter* layer = nullptr;
    ExportDrafter* exported = nullptr;
  };
  static Drafters new_drafter(const model::Model& target, const ParallelSpecOptions& options,
                              std::vector<Token> head_tokens, const at::TensorOptions& tensors);

  const model::Model& target_;
  ParallelSpecOptions options_;
  Drafters drafters_;
  std::int64_t step_ = 0;
};

}  // namespace outrider::train

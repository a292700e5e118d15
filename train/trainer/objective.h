#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/trace.h"
#include "train/modules/precision.h"
#include "train/optimiser/parameter.h"
#include "train/workers/step_loss.h"

namespace outrider::train {

/// Results on prompts that are not trained on.
struct Validation {
  std::vector<std::pair<std::string, double>> figures;  // by name, for the metrics
  double score = 0;  // expected accepted length, or what else is best when largest
};

/// What a run trains: the draft model, and other drafters later. Deterministic: the same calls give the
/// same bits for the same number of threads.
class Objective {
 public:
  virtual ~Objective() = default;

  /// The parameters in a fixed order; the same tensors in every call.
  virtual std::vector<Parameter> parameters() = 0;

  /// Called before the batches of a step, counted from 0. What is drawn at random for them may depend on it,
  /// and so is drawn again when a run goes on.
  virtual void begin_step(std::int64_t) {}

  /// Forward and backward: adds d(scale * loss) / d(parameter) to every parameter's .grad, which may be
  /// undefined before. @param traces  of one batch, never empty
  virtual StepLoss accumulate(std::span<const data::Trace> traces, double scale) = 0;

  /// Evaluates without gradients. @param traces  never empty
  virtual Validation validate(std::span<const data::Trace> traces) = 0;

  /// Floating-point operations of training on one token, forward and backward, for comparing the rate
  /// with the machine's peak; 0: unknown.
  virtual double flops_per_token() const { return 0; }

  /// Of the large products, which nearly all of these operations are in.
  virtual Precision precision() const { return Precision::kF32; }

  /// What must be equal for a checkpoint to be continued: the shape, the loss, the target and its
  /// tokens. No paths, no thread counts, nothing that a continued run may change.
  virtual nlohmann::json identity() const = 0;
};

}  // namespace outrider::train

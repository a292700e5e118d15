#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "train/optimiser/parameter.h"

namespace outrider::train {

struct AdamWOptions {
  double beta1 = 0.9;
  double beta2 = 0.95;
  double epsilon = 1e-8;
  double decay = 0.1;  // of the parameters that have it, times the learning rate, per step
};

/// Adam with decoupled weight decay (Loshchilov and Hutter, "Decoupled Weight Decay Regularization",
/// algorithm 2). Moments are f32, one pass over memory a step. For the same numbers of threads the same
/// bits.
class AdamW {
 public:
  /// The gradients of all parameters become zero.
  AdamW(std::vector<Parameter> parameters, const AdamWOptions& options);

  /// The moments of a parameter, in its shape.
  struct Moments {
    at::Tensor first, second;
  };

  /// One step along the parameters' gradients, which are kept.
  void step(double learning_rate);
  void clear_gradients();

  const std::vector<Parameter>& parameters() const { return parameters_; }
  /// [parameters]; together with steps() all that the next step depends on. Copied into on resume.
  const std::vector<Moments>& moments() const { return moments_; }
  std::int64_t steps() const { return steps_; }
  void set_steps(std::int64_t steps) { steps_ = steps; }

 private:
  void step_group(bool decay, double learning_rate);

  std::vector<Parameter> parameters_;
  AdamWOptions options_;
  std::vector<Moments> moments_;
  std::int64_t steps_ = 0;
};

}  // namespace outrider::train

#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "train/optimiser/parameter.h"
#include "train/workers/step_loss.h"
#include "train/workers/workers.h"

namespace outrider::train {

/// Adds the gradients of a step's batches, and their losses, along one binary tree: the batches are its leaves, and the
/// sum of [a, b) is that of the first half plus that of the second. So the bits do not depend on which worker computes
/// which half, as long as the numbers of batches and of workers are powers of two. A chain of additions, or an
/// all-reduce whose order depends on the number of workers, would give others each time.
class TreeSum {
 public:
  /// The parameters have gradients, which are zero.
  explicit TreeSum(const std::vector<Parameter>& parameters) : parameters_(parameters) {}

  /// Takes the parameters' gradients as the next leaf's, and gives them others, which are zero.
  void add(const StepLoss& loss);

  /// Gives the parameters the sum of all leaves as gradients. @return the sum of their losses
  /// @throws std::logic_error unless their number is a power of two
  StepLoss finish();

 private:
  struct Node {
    int leaves;
    std::vector<at::Tensor> gradients;  // [parameters]
    StepLoss loss;
  };

  const std::vector<Parameter>& parameters_;
  std::vector<Node>
      nodes_;  // the largest first: each has at least twice the leaves of the next one
  std::vector<std::vector<at::Tensor>> spare_;  // gradients to be used again
};

/// Adds the workers' gradients and losses along the upper levels of the same tree: worker r's sum of its leaves is node r
/// of a level. Afterwards all have the same bits. The gradients are divided among the workers while they are added and
/// then put together, so that each sends less than twice their size however many there are.
/// @throws TryAgain
StepLoss sum_over(Workers& workers, const std::vector<Parameter>& parameters, StepLoss loss);

}  // namespace outrider::train

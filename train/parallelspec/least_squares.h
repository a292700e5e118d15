#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace outrider::train {

/// Rows of outputs to be told from rows of inputs, kept as sums of products: memory does not depend on their number.
/// In double, on the processor.
class LeastSquares {
 public:
  /// @param inputs   [rows, inputs]
  /// @param outputs  [rows, outputs]
  void add(const at::Tensor& inputs, const at::Tensor& outputs);
  /// Adds the rows of another one.
  void add(const LeastSquares& other);

  std::int64_t rows() const { return rows_; }

  /// The matrix W, [inputs, outputs], with the least sum of squares of outputs - inputs W, and a ridge.
  /// @param ridge  added to the mean square of each input, as a share of it
  at::Tensor solve(double ridge) const;
  /// The share of the outputs' variance that W explains; below 0 where their mean is the better guess.
  double explained(const at::Tensor& solution) const;

 private:
  std::int64_t rows_ = 0;
  at::Tensor squares_;   // [inputs, inputs]
  at::Tensor products_;  // [inputs, outputs]
  at::Tensor sums_;      // [outputs], of outputs
  at::Tensor energy_;    // of outputs, one number
};

struct RidgeFit {
  at::Tensor solution;   // of all rows
  double ridge = 0;      // the one with which held-out rows were told best
  double explained = 0;  // of the variance of held-out rows, by the others
};

/// Chooses the ridge on rows that were held out, and solves with all. Without such rows the ridge is the least that is
/// tried, and `explained` is of the rows that were fitted.
/// @param fitted  with rows
RidgeFit fit_ridge(LeastSquares fitted, const LeastSquares& held_out);

}  // namespace outrider::train

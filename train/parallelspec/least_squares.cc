#include "train/parallelspec/least_squares.h"

#include <ATen/ATen.h>

#include <limits>

namespace outrider::train {
namespace {

constexpr double kRidges[] = {1e-3, 1e-2, 1e-1, 1};

void add_to(at::Tensor& sum, const at::Tensor& more) { sum = sum.defined() ? sum + more : more; }

}  // namespace

void LeastSquares::add(const at::Tensor& inputs, const at::Tensor& outputs) {
  const at::Tensor x = inputs.to(at::kCPU, at::kDouble), y = outputs.to(at::kCPU, at::kDouble);
  rows_ += x.size(0);
  add_to(squares_, at::mm(x.t(), x));
  add_to(products_, at::mm(x.t(), y));
  add_to(sums_, y.sum(0));
  add_to(energy_, y.square().sum());
}

void LeastSquares::add(const LeastSquares& other) {
  if (other.rows_ == 0) return;
  rows_ += other.rows_;
  add_to(squares_, other.squares_);
  add_to(products_, other.products_);
  add_to(sums_, other.sums_);
  add_to(energy_, other.energy_);
}

at::Tensor LeastSquares::solve(double ridge) const {
  at::Tensor squares = squares_.clone();
  squares.diagonal().mul_(1 + ridge).add_(1e-12);
  return at::linalg_solve(squares, products_);
}

double LeastSquares::explained(const at::Tensor& solution) const {
  // |Y - XW|² is |Y|² - 2 tr(Wᵀ XᵀY) + tr(Wᵀ XᵀX W).
  const at::Tensor left =
      energy_ - 2 * (solution * products_).sum() + (solution * at::mm(squares_, solution)).sum();
  const at::Tensor spread = energy_ - sums_.square().sum() / static_cast<double>(rows_);
  return 1 - (left / spread).item<double>();
}

RidgeFit fit_ridge(LeastSquares fitted, const LeastSquares& held_out) {
  const bool has_held_out = held_out.rows() > 0;
  RidgeFit best;
  best.explained = -std::numeric_limits<double>::infinity();
  for (const double ridge : kRidges) {
    at::Tensor solution = fitted.solve(ridge);
    const double explained = (has_held_out ? held_out : fitted).explained(solution);
    if (explained > best.explained) best = {std::move(solution), ridge, explained};
    if (!has_held_out) break;
  }
  if (!has_held_out) return best;
  fitted.add(held_out);
  best.solution = fitted.solve(best.ridge);
  return best;
}

}  // namespace outrider::train

#include "runtime/cost/cost_model.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>

namespace outrider::cost {
namespace {

using Line = CostModel::Line;

/// The line with the least sum of squared relative errors.
Line fit(const std::vector<TimedPass>& passes) {
  double weights = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const TimedPass& pass : passes) {
    const double weight = 1 / (pass.seconds * pass.seconds);
    const double context = pass.point.context;
    weights += weight;
    x += weight * context;
    y += weight * pass.seconds;
    xx += weight * context * context;
    xy += weight * context * pass.seconds;
  }
  const double spread = xx - x * x / weights;
  const bool one_context = spread <= 1e-9 * xx;
  // A longer context never makes a pass cheaper; a measurement where it does is noise.
  const double slope = one_context ? 0 : std::max(0.0, (xy - x * y / weights) / spread);
  return {(y - slope * x) / weights, slope};
}

double at(const Line& line, int context) { return line.at_zero + line.per_token * context; }

}  // namespace

CostModel::CostModel(const std::vector<TimedPass>& passes) {
  std::map<Shape, std::map<int, std::vector<TimedPass>>> sorted;
  for (const TimedPass& pass : passes) sorted[pass.point.shape][pass.point.rows].push_back(pass);
  for (const auto& [shape, by_rows] : sorted)
    for (const auto& [rows, same] : by_rows) lines_[shape][rows] = fit(same);
  for (const Shape shape : {Shape::kChain, Shape::kTree})
    if (lines_[shape].empty()) throw std::logic_error("CostModel: no pass of a shape");
}

double CostModel::seconds(const PassPoint& point) const {
  const std::map<int, Line>& lines = this->lines(point.shape);
  auto above = lines.lower_bound(point.rows);
  if (above != lines.end() && above->first == point.rows) return at(above->second, point.context);
  if (lines.size() == 1 || above == lines.begin()) return at(lines.begin()->second, point.context);
  if (above == lines.end()) --above;
  const auto below = std::prev(above);
  const double low = at(below->second, point.context);
  const double high = at(above->second, point.context);
  return low + (high - low) * (point.rows - below->first) / (above->first - below->first);
}

const std::map<int, Line>& CostModel::lines(Shape shape) const { return lines_.at(shape); }

std::vector<double> relative_errors(const CostModel& model, const std::vector<TimedPass>& passes) {
  std::vector<double> errors;
  for (const TimedPass& pass : passes)
    errors.push_back(std::abs(model.seconds(pass.point) / pass.seconds - 1));
  std::sort(errors.begin(), errors.end());
  return errors;
}

}  // namespace outrider::cost

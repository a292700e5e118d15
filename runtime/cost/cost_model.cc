#include "runtime/cost/cost_model.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>

namespace outrider::cost {
namespace {

using Line = CostModel::Line;

/// The least share of a pass that does not grow with the context.
constexpr double kLeastAtZero = 0.01;

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
  if (one_context) return {y / weights, 0};
  // A longer context never makes a pass cheaper, and no context does not make it free; a measurement where it does is
  // noise.
  const double slope = std::clamp((xy - x * y / weights) / spread, 0.0, (1 - kLeastAtZero) * y / x);
  return {(y - slope * x) / weights, slope};
}

double at(const Line& line, int context) { return line.at_zero + line.per_token * context; }

/// Between numbers of rows in proportion.
double at(const CostModel::Lines& lines, int rows, int context) {
  auto above = lines.lower_bound(rows);
  if (above != lines.end() && above->first == rows) return at(above->second, context);
  if (lines.size() == 1 || above == lines.begin()) return at(lines.begin()->second, context);
  if (above == lines.end()) --above;
  const auto below = std::prev(above);
  const double low = at(below->second, context);
  const double high = at(above->second, context);
  return low + (high - low) * (rows - below->first) / (above->first - below->first);
}

/// Neighbouring numbers of rows with one line.
struct RowsGroup {
  std::vector<int> rows;
  std::vector<TimedPass> passes;
  Line line;

  /// Whether its passes would take longer than those of `next`, which have more rows, at any context up
  /// to `context`.
  bool is_slower(const RowsGroup& next, int context) const {
    return at(line, 0) > at(next.line, 0) || at(line, context) > at(next.line, context);
  }
  void add(const RowsGroup& next) {
    rows.insert(rows.end(), next.rows.begin(), next.rows.end());
    passes.insert(passes.end(), next.passes.begin(), next.passes.end());
    line = fit(passes);
  }
};

/// Pools adjacent violators: more rows never make a pass cheaper, so where that was measured, the
/// numbers of rows share the line of all their passes.
std::map<int, Line> monotone_lines(const std::map<int, std::vector<TimedPass>>& by_rows) {
  int context = 0;
  for (const auto& [rows, passes] : by_rows)
    for (const TimedPass& pass : passes) context = std::max(context, pass.point.context);
  std::vector<RowsGroup> groups;
  for (const auto& [rows, passes] : by_rows) {
    groups.push_back({{rows}, passes, fit(passes)});
    while (groups.size() > 1 && std::prev(groups.end(), 2)->is_slower(groups.back(), context)) {
      const RowsGroup last = std::move(groups.back());
      groups.pop_back();
      groups.back().add(last);
    }
  }
  std::map<int, Line> lines;
  for (const RowsGroup& group : groups)
    for (const int rows : group.rows) lines[rows] = group.line;
  return lines;
}

}  // namespace

CostModel::CostModel(const std::vector<TimedPass>& passes) {
  std::map<Kind, std::map<int, std::vector<TimedPass>>> sorted;
  for (const TimedPass& pass : passes)
    sorted[{pass.point.shape, pass.point.sequences}][pass.point.rows].push_back(pass);
  for (const auto& [kind, by_rows] : sorted) lines_[kind] = monotone_lines(by_rows);
  for (const Shape shape : {Shape::kChain, Shape::kTree})
    if (lines_[{shape, 1}].empty()) throw std::logic_error("CostModel: no pass of a shape");
}

double CostModel::seconds(const PassPoint& point) const {
  return at(lines_.at({point.shape, 1}), point.rows, point.context) + added_by_sequences(point);
}

double CostModel::next_row_seconds(PassPoint point) const {
  const double before = seconds(point);
  ++point.rows;
  return seconds(point) - before;
}

CostModel CostModel::of_each(int sequences) const {
  if (sequences == 1) return *this;
  constexpr int kContext = 1024;  // lines are known by two points
  std::vector<TimedPass> shares;
  for (const Shape shape : {Shape::kChain, Shape::kTree}) {
    const int most = lines_.at({shape, 1}).rbegin()->first;
    for (int rows = 1; rows <= most; ++rows) {
      for (const int context : {0, kContext}) {
        const double all = seconds({shape, rows * sequences, context, sequences});
        shares.push_back({{shape, rows, context}, all / sequences});
      }
    }
  }
  return CostModel(shares);
}

double CostModel::added_by_sequences(const PassPoint& point) const {
  int timed = 1;               // sequences
  double added = 0, each = 0;  // by these; by each of them beyond those timed before
  for (const auto& [kind, lines] : lines_) {
    if (kind.shape != Shape::kChain || kind.sequences <= timed || timed >= point.sequences)
      continue;
    const int rows = std::clamp(point.rows, lines.begin()->first, lines.rbegin()->first);
    const double more =
        at(lines, rows, point.context) - at(lines_.at({Shape::kChain, 1}), rows, point.context);
    each = (more - added) / (kind.sequences - timed);
    timed = kind.sequences;
    added = more;
  }
  return std::max(0.0, added + each * (point.sequences - timed));
}

std::vector<double> relative_errors(const CostModel& model, const std::vector<TimedPass>& passes) {
  std::vector<double> errors;
  for (const TimedPass& pass : passes)
    errors.push_back(std::abs(model.seconds(pass.point) / pass.seconds - 1));
  std::sort(errors.begin(), errors.end());
  return errors;
}

}  // namespace outrider::cost

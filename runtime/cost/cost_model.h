#pragma once

#include <map>
#include <vector>

#include "runtime/cost/pass_shape.h"

namespace outrider::cost {

struct TimedPass {
  PassPoint point;
  double seconds = 0;
};

/// The time of a pass for one number of threads, fitted to measurements: for each shape and number
/// of rows a straight line over the context, and between neighbouring numbers of rows a straight line
/// too. Matrix products make the first grow in steps, attention makes the second exact.
class CostModel {
 public:
  struct Line {
    double at_zero = 0;  // seconds
    double per_token = 0;
  };

  /// @param passes  of each shape; each number of rows at one context at least
  /// @throws std::logic_error when there are none of a shape
  explicit CostModel(const std::vector<TimedPass>& passes);

  /// Seconds. Rows beyond the largest measured go on along the last stretch.
  double seconds(const PassPoint& point) const;

  /// By rows, for keeping.
  const std::map<int, Line>& lines(Shape shape) const;

 private:
  std::map<Shape, std::map<int, Line>> lines_;
};

/// |predicted / measured - 1|, sorted.
std::vector<double> relative_errors(const CostModel& model, const std::vector<TimedPass>& passes);

}  // namespace outrider::cost

#pragma once

#include <map>
#include <vector>

#include "runtime/cost/pass_shape.h"

namespace outrider::cost {

struct TimedPass {
  PassPoint point;
  double seconds = 0;
};

/// The time of a pass for one number of threads, fitted to measurements: linear in the context for each
/// shape and number of rows, as attention is, and interpolated linearly between neighbouring numbers of
/// rows, over which matrix products grow in steps. Monotone in the rows at every context up to the
/// longest measured.
class CostModel {
 public:
  struct Line {
    double at_zero = 0;  // seconds
    double per_token = 0;
  };

  /// @param passes  of each shape; each number of rows with at least one context
  /// @throws std::logic_error if there are none of a shape
  explicit CostModel(const std::vector<TimedPass>& passes);

  /// Seconds. Beyond the largest measured number of rows, the last segment is extended.
  double seconds(const PassPoint& point) const;

  /// A shape's lines by rows, for storing.
  const std::map<int, Line>& lines(Shape shape) const;

 private:
  std::map<Shape, std::map<int, Line>> lines_;
};

/// |predicted / measured - 1|, sorted.
std::vector<double> relative_errors(const CostModel& model, const std::vector<TimedPass>& passes);

}  // namespace outrider::cost

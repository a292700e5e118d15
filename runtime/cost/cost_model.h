#pragma once

#include <compare>
#include <map>
#include <vector>

#include "runtime/cost/pass_shape.h"

namespace outrider::cost {

struct TimedPass {
  PassPoint point;
  double seconds = 0;
};

/// The time of a pass for one number of threads, fitted to measurements: linear in the context for each
/// shape, number of sequences and number of rows, as attention is, and interpolated linearly between
/// neighbouring numbers of rows, over which matrix products grow in steps. Of one sequence monotone in the rows
/// at every context up to the longest measured.
///
/// Several sequences read as many keys and values. What that adds to a pass over as many rows of one sequence is
/// interpolated between the numbers of sequences that were timed, and extended beyond the last in proportion;
/// where only one sequence was timed it is left out.
class CostModel {
 public:
  struct Line {
    double at_zero = 0;  // seconds
    double per_token = 0;
  };

  /// @param passes  of each shape with one sequence; each number of rows with at least one context
  /// @throws std::logic_error if there are none of a shape
  explicit CostModel(const std::vector<TimedPass>& passes);

  /// Seconds. Beyond the largest measured number of rows, the last segment is extended.
  double seconds(const PassPoint& point) const;
  /// Seconds that one row more adds to a pass.
  double next_row_seconds(PassPoint point) const;

  /// The costs of one sequence where so many share each pass, all with as many rows: a pass over r rows takes
  /// seconds(sequences r rows) / sequences.
  CostModel of_each(int sequences) const;

  /// What lines are of.
  struct Kind {
    Shape shape = Shape::kChain;
    int sequences = 1;
    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy takes the comparison with 0 that this makes for a pointer's.
    auto operator<=>(const Kind&) const = default;
  };
  using Lines = std::map<int, Line>;  // by rows

  const std::map<Kind, Lines>& lines() const { return lines_; }

 private:
  /// Seconds that a point's sequences add to a pass over as many rows of one. Chains alone are timed with several:
  /// trees add as much.
  double added_by_sequences(const PassPoint& point) const;

  std::map<Kind, Lines> lines_;
};

/// |predicted / measured - 1|, sorted.
std::vector<double> relative_errors(const CostModel& model, const std::vector<TimedPass>& passes);

}  // namespace outrider::cost

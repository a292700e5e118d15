#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace outrider::cost {

/// How many passes had how many rows: exactly up to 64, above rounded up to a few numbers.
class PassRows {
 public:
  /// The numbers of rows that passes are counted by, ascending.
  static const std::vector<int>& numbers();

  PassRows() : counts_(numbers().size()) {}
  /// @throws std::logic_error unless there is a count for each of the numbers
  explicit PassRows(std::vector<std::int32_t> counts);

  /// @param rows  at least 1
  void add(int rows);
  void add(const PassRows& other);
  const std::vector<std::int32_t>& counts() const { return counts_; }
  std::int64_t passes() const;
  /// The seconds of all passes. @param of_pass  seconds of one with so many rows
  double seconds(const std::function<double(int rows)>& of_pass) const;

 private:
  std::vector<std::int32_t> counts_;  // [numbers]
};

}  // namespace outrider::cost

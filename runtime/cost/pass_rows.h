#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace outrider::cost {

/// How many passes had how many rows.
class PassRows {
 public:
  /// @param rows    of each of these passes, at least 1
  /// @param passes  at least 0
  void add(int rows, std::int32_t passes = 1);
  void add(const PassRows& other);
  /// How many passes had so many rows. @param rows  at least 1
  std::int32_t with(int rows) const;
  /// The greatest number of rows; 0 without passes.
  int most() const { return static_cast<int>(counts_.size()); }
  std::int64_t passes() const;
  /// The seconds of all passes. @param of_pass  seconds of one with so many rows
  double seconds(const std::function<double(int rows)>& of_pass) const;

  bool operator==(const PassRows&) const = default;

 private:
  std::vector<std::int32_t> counts_;  // [rows - 1]; the last is above 0
};

}  // namespace outrider::cost

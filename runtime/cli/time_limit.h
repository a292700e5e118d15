#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "runtime/base/watch.h"

namespace outrider::cli {

class CommandOptions;

inline constexpr double kMostMinutes = 1e6;

/// --minutes: after so many a command ends as by Ctrl-C, and goes on when it is given again.
void declare_minutes_flag(CommandOptions& command, double& minutes);

/// How long a command may take from now on, before it ends as by Ctrl-C.
class TimeLimit {
 public:
  /// @param minutes  0: any
  explicit TimeLimit(double minutes = 0);

  /// As they were given; 0: any.
  double minutes() const { return minutes_; }
  bool is_over() const { return Clock::now() >= end_; }
  /// The same, which is over when another is, too: that of a command of which this one does a part.
  TimeLimit within(const TimeLimit& whole) const;

 private:
  using Clock = std::chrono::steady_clock;

  double minutes_;
  Clock::time_point end_ = Clock::time_point::max();
};

/// Does a command's work, and says so where it was interrupted because its minutes are over.
void keep_to(const TimeLimit& limit, const std::function<void()>& work);

/// The parts and their times as lines, before any of it is done.
/// @param minutes  of the command; 0: any
std::string plan_text(const std::string& command, const std::vector<PlannedPart>& parts,
                      double minutes);
/// Shows it on standard error, unless `quiet`.
void announce(const std::string& command, const std::vector<PlannedPart>& parts, double minutes,
              bool quiet);

}  // namespace outrider::cli

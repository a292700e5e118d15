#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/base/watch.h"

namespace outrider::cli {

class CommandOptions;

inline constexpr double kMostMinutes = 1e6;

/// --minutes: after so many a command ends as by Ctrl-C, and goes on when it is given again.
void declare_minutes_flag(CommandOptions& command, double& minutes);

/// Does a command's work. After so many minutes it is interrupted, as by Ctrl-C, and says so.
/// @param minutes  0: any
void keep_to(double minutes, const std::function<void()>& work);

/// The parts and their times as lines, before any of it is done.
/// @param minutes  of the command; 0: any
std::string plan_text(const std::string& command, const std::vector<PlannedPart>& parts,
                      double minutes);
/// Shows it on standard error, unless `quiet`.
void announce(const std::string& command, const std::vector<PlannedPart>& parts, double minutes,
              bool quiet);

}  // namespace outrider::cli

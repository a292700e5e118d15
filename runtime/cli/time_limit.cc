#include "runtime/cli/time_limit.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "runtime/base/duration_text.h"
#include "runtime/base/log.h"
#include "runtime/cli/command_options.h"
#include "runtime/cli/interrupt.h"

namespace outrider::cli {

void declare_minutes_flag(CommandOptions& command, double& minutes) {
  command
      .add_option("--minutes", minutes,
                  "Stop after so many minutes: what is done is kept, and the same command goes on "
                  "from it; 0: never")
      .check(real_number(0, kMostMinutes));
}

TimeLimit::TimeLimit(double minutes) : minutes_(minutes) {
  if (minutes <= 0) return;
  end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(60 * std::min(minutes, kMostMinutes)));
}

TimeLimit TimeLimit::within(const TimeLimit& whole) const {
  TimeLimit both = *this;
  both.end_ = std::min(end_, whole.end_);
  return both;
}

void keep_to(const TimeLimit& limit, const std::function<void()>& work) {
  try {
    work();
  } catch (const Interrupted&) {
    if (limit.minutes() > 0 && limit.is_over() && !interrupted())
      print_log(
          "stopped after {}, which are over: what is done is kept, and the same command goes on "
          "from it\n",
          fmt::format("--minutes {:g}", limit.minutes()));
    throw;
  }
}

std::string plan_text(const std::string& command, const std::vector<PlannedPart>& parts,
                      double minutes) {
  double seconds = 0;
  std::size_t width = 0;
  for (const PlannedPart& part : parts) {
    seconds += part.seconds;
    width = std::max(width, part.what.size());
  }
  std::string text = fmt::format("{}: about {} on this machine\n", command, duration_text(seconds));
  for (const PlannedPart& part : parts)
    text += fmt::format("  {:<{}}  {}\n", part.what, width, duration_text(part.seconds));
  if (minutes > 0 && seconds > 60 * minutes)
    text += fmt::format("  it stops after --minutes {:g}, and goes on when it is given again\n",
                        minutes);
  return text;
}

void announce(const std::string& command, const std::vector<PlannedPart>& parts, double minutes,
              bool quiet) {
  if (!quiet) print_log("{}", plan_text(command, parts, minutes));
}

}  // namespace outrider::cli

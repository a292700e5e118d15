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

void keep_to(double minutes, const std::function<void()>& work) {
  if (minutes == 0) return work();
  const Deadline deadline(60 * minutes);
  try {
    work();
  } catch (const Interrupted&) {
    if (deadline.is_over() && !signalled())
      print_log(
          "stopped after {}, which are over: what is done is kept, and the same command goes on "
          "from it\n",
          fmt::format("--minutes {:g}", minutes));
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

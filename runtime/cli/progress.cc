#include "runtime/cli/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>

#include "runtime/base/duration_text.h"
#include "runtime/base/log.h"

namespace outrider::cli {
namespace {

constexpr std::chrono::milliseconds kBarInterval{100};
constexpr std::chrono::seconds kLineInterval{5};
constexpr int kBarWidth = 24;

std::string bar(std::int64_t done, std::int64_t total) {
  const auto filled = static_cast<std::size_t>(done * kBarWidth / std::max<std::int64_t>(total, 1));
  return std::string(filled, '#') + std::string(kBarWidth - filled, '.');
}

}  // namespace

Progress::Progress(std::string what, std::int64_t total, bool quiet, std::int64_t before)
    : what_(std::move(what)),
      total_(total),
      before_(before),
      quiet_(quiet),
      terminal_(::isatty(STDERR_FILENO) != 0),
      start_(Clock::now()),
      last_shown_(start_) {}

Progress::~Progress() {
  if (bar_shown_) write_log("\n");
}

void Progress::show(std::int64_t done, const std::string& note) {
  if (quiet_) return;
  done = std::clamp<std::int64_t>(done, 0, total_);
  const Clock::time_point now = Clock::now();
  const bool due = now - last_shown_ >= (terminal_ ? Clock::duration(kBarInterval) : kLineInterval);
  if (!due && done != total_) return;
  last_shown_ = now;
  const std::string text = line(done, std::chrono::duration<double>(now - start_).count(), note);
  if (terminal_) {
    // Returns to the start of the line; the rest of a longer text is cleared.
    print_log("\r[{}] {}\x1b[K", bar(done, total_), text);
    bar_shown_ = true;
  } else {
    print_log("{}\n", text);
  }
}

std::string Progress::line(std::int64_t done, double seconds, const std::string& note) const {
  std::string text = fmt::format("{} of {} {}", done, total_, what_);
  if (done <= before_ || seconds <= 0) return text;
  const double rate = static_cast<double>(done - before_) / seconds;
  text += fmt::format(", {:.3g}/s", rate);
  if (!note.empty()) text += ", " + note;
  if (done == total_) return text + ", " + duration_text(seconds);
  return text + ", " + duration_text(static_cast<double>(total_ - done) / rate) + " left";
}

}  // namespace outrider::cli

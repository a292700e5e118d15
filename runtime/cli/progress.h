#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace outrider::cli {

/// Shows the progress of a long operation on stderr: a bar with rate and remaining time on a
/// terminal, otherwise a plain line every few seconds.
class Progress {
 public:
  /// @param what    e.g. "prompts"
  /// @param before  of the total, done before the work began
  Progress(std::string what, std::int64_t total, bool quiet = false, std::int64_t before = 0);
  /// Ends the line of the bar.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Shows that `done` of the total are done; cheap enough to call for each item.
  /// @param note  shown after the rate, e.g. "812 tokens/s"
  void show(std::int64_t done, const std::string& note = "");

 private:
  using Clock = std::chrono::steady_clock;

  std::string line(std::int64_t done, double seconds, const std::string& note) const;

  std::string what_;
  std::int64_t total_;
  std::int64_t before_;
  bool quiet_;
  bool terminal_;
  bool bar_shown_ = false;
  Clock::time_point start_;
  Clock::time_point last_shown_;
};

}  // namespace outrider::cli

#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/watch.h"
#include "runtime/cli/progress.h"
#include "runtime/cli/time_limit.h"

namespace outrider::cli {

/// Shows a command's work on standard error, and ends it by Ctrl-C or when its minutes are over.
class ShownWatch : public Watch {
 public:
  /// @param command  for what is announced: "train disco"
  /// @param limit    of the command
  /// @param quiet    shows warnings only
  ShownWatch(std::string command, const TimeLimit& limit, bool quiet)
      : command_(std::move(command)), limit_(limit), quiet_(quiet) {}

  void listen() override;
  bool interrupted() override;
  bool is_heard() const override { return !quiet_; }
  void plan(const std::vector<PlannedPart>& parts) override;
  void begin(const std::string& what, std::int64_t total, std::int64_t before) override;
  void show(std::int64_t done, const std::string& note) override;
  void end() override { progress_.reset(); }
  void inform(const std::string& sentence) override;
  void warn(const std::string& sentence) override;

 private:
  std::string command_;
  TimeLimit limit_;
  bool quiet_;
  std::optional<Progress> progress_;
};

}  // namespace outrider::cli

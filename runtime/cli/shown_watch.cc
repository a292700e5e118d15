#include "runtime/cli/shown_watch.h"

#include "runtime/base/log.h"
#include "runtime/cli/interrupt.h"

namespace outrider::cli {

void ShownWatch::listen() { catch_interrupts(); }

bool ShownWatch::interrupted() { return outrider::interrupted() || limit_.is_over(); }

void ShownWatch::plan(const std::vector<PlannedPart>& parts) {
  announce(command_, parts, limit_.minutes(), quiet_);
}

void ShownWatch::begin(const std::string& what, std::int64_t total, std::int64_t before) {
  progress_.reset();  // ends the line of the part before
  progress_.emplace(what, total, quiet_, before);
}

void ShownWatch::show(std::int64_t done, const std::string& note) {
  if (progress_) progress_->show(done, note);
}

void ShownWatch::inform(const std::string& sentence) {
  if (!quiet_) print_log("{}\n", sentence);
}

void ShownWatch::warn(const std::string& sentence) { print_log("{}\n", sentence); }

}  // namespace outrider::cli

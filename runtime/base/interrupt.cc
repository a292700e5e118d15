#include "runtime/base/interrupt.h"

#include <algorithm>
#include <atomic>
#include <csignal>

namespace outrider {
namespace {

volatile std::sig_atomic_t interrupt_seen = 0;
std::atomic<const Deadline*> innermost = nullptr;

void on_signal(int /*signal*/) { interrupt_seen = 1; }

/// So far ahead that a clock can still add to it.
constexpr double kLongest = 1e9;

}  // namespace

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  // A second one takes the default action. No SA_RESTART: a read from the terminal is interrupted.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction before = {};
  sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler == SIG_IGN) return;
  action.sa_flags = 0;  // the system and the shell may each send one
  sigaction(SIGHUP, &action, nullptr);
}

bool signalled() { return interrupt_seen != 0; }

bool interrupted() {
  if (signalled()) return true;
  const Deadline* const deadline = innermost;
  return deadline != nullptr && deadline->is_over();
}

void reset_interrupt() {
  interrupt_seen = 0;
  catch_interrupts();
}

Deadline::Deadline(double seconds)
    : outer_(innermost),
      end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                              std::chrono::duration<double>(std::clamp(seconds, 0.0, kLongest)))) {
  if (outer_ != nullptr) end_ = std::min(end_, outer_->end_);
  innermost = this;
}

Deadline::~Deadline() { innermost = outer_; }

double Deadline::seconds_left() const {
  return std::max(0.0, std::chrono::duration<double>(end_ - Clock::now()).count());
}

}  // namespace outrider

#include "runtime/base/interrupt.h"

#include <csignal>

namespace outrider {
namespace {

volatile std::sig_atomic_t interrupt_seen = 0;

void on_signal(int /*signal*/) { interrupt_seen = 1; }

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

bool interrupted() { return interrupt_seen != 0; }

void reset_interrupt() {
  interrupt_seen = 0;
  catch_interrupts();
}

}  // namespace outrider

#include "runtime/cli/interrupt.h"

#include <csignal>
#include <initializer_list>

namespace outrider {
namespace {

volatile std::sig_atomic_t interrupt_seen = 0;
volatile std::sig_atomic_t seen_of[NSIG] = {};
void (*volatile last_act)() = nullptr;

void on_hang_up(int /*signal*/) { interrupt_seen = 1; }

void on_signal(int signal) {
  interrupt_seen = 1;
  if (seen_of[signal] == 0) {
    seen_of[signal] = 1;
    return;
  }
  if (last_act != nullptr) last_act();
  std::signal(signal, SIG_DFL);
  std::raise(signal);  // delivered when this returns
}

}  // namespace

void before_second_interrupt(void (*act)()) { last_act = act; }

void catch_interrupts() {
  for (const int signal : {SIGINT, SIGTERM}) seen_of[signal] = 0;
  struct sigaction action = {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  // No SA_RESTART: a read from the terminal is interrupted.
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction before = {};
  sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler == SIG_IGN) return;
  action.sa_handler = on_hang_up;  // the system and the shell may each send one
  sigaction(SIGHUP, &action, nullptr);
}

bool interrupted() { return interrupt_seen != 0; }

void reset_interrupt() {
  interrupt_seen = 0;
  catch_interrupts();
}

}  // namespace outrider

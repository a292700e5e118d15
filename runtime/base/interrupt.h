#pragma once

#include <exception>

namespace outrider {

/// The user pressed Ctrl-C and the work has ended early, keeping what was done: exit 130.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

/// From here on the first Ctrl-C (SIGINT) or SIGTERM only sets a flag, so that the program can end
/// cleanly; a second one kills it. So does the end of the terminal (SIGHUP), which may be told twice,
/// unless the program was started to outlive it (nohup).
void catch_interrupts();

/// Whether one has come.
bool interrupted();

/// Forgets it and catches the next one: a conversation goes on after an answer was cut short.
void reset_interrupt();

}  // namespace outrider

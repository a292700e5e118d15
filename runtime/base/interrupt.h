#pragma once

#include <exception>

namespace outrider {

/// The user pressed Ctrl-C; finished work is kept: exit 130.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

/// Makes the first Ctrl-C (SIGINT) or SIGTERM only set a flag, so that the program can end cleanly; a
/// second one kills it. SIGHUP, which may arrive twice, sets the flag too, unless it was ignored at
/// start (nohup).
void catch_interrupts();

/// Whether a signal has arrived.
bool interrupted();

/// Clears the flag and catches the next signal: a conversation continues after an interrupted answer.
void reset_interrupt();

}  // namespace outrider

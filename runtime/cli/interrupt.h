#pragma once

#include "runtime/base/interrupted.h"

// Signals are a process's, so only programs know them: libraries are handed what asks whether to end.
namespace outrider {

/// Makes the first Ctrl-C (SIGINT) or SIGTERM only set a flag, so that the program can end cleanly; a
/// second one kills it. SIGHUP, which may arrive twice, sets the flag too, unless it was ignored at
/// start (nohup).
void catch_interrupts();

/// What is done before a second one kills the program, in the signal's handler; nullptr: nothing.
void before_second_interrupt(void (*act)());

/// Whether a signal has arrived: work that can go on later ends then.
bool interrupted();

/// Clears the flag and catches the next signal: a conversation continues after an interrupted answer.
void reset_interrupt();

}  // namespace outrider

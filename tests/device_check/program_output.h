#pragma once

#include <string>

namespace outrider::device_check {

struct ProgramOutput {
  int status = 0;    // of its exit; 127: there is no such program
  std::string text;  // standard output and errors
};

/// Runs a shell's command line to its end.
ProgramOutput output_of(const std::string& command);
/// A word that a shell takes as it is.
std::string quoted(const std::string& word);

/// What nvidia-smi says of a card: "driver 580.82, 1980 MHz, 700 W"; empty where there is none.
std::string driver_and_clocks(int card);

}  // namespace outrider::device_check

#pragma once

#include <exception>
#include <string_view>

namespace outrider {

/// The reader of standard output has closed it (`| head`). Not an error: the program ends quietly.
class ClosedPipe : public std::exception {
 public:
  const char* what() const noexcept override { return "standard output was closed"; }
};

/// @param error  errno of a write to a descriptor; 0: none
/// @throws ClosedPipe if the descriptor is standard output, under whatever name it was opened, and its
///         reader has closed it
void check_reader(int error, int descriptor);

/// Writes to standard output, unbuffered.
/// @throws ClosedPipe; InputError with the system's reason when it cannot be written
void write_output(std::string_view text);

}  // namespace outrider

#pragma once

#include <exception>
#include <string_view>

namespace outrider {

/// Whoever read our standard output has gone away (`| head`). Not a mistake: the program ends quietly.
class ClosedPipe : public std::exception {
 public:
  const char* what() const noexcept override { return "standard output was closed"; }
};

/// Writes to standard output, where a reader sees it at once.
/// @throws ClosedPipe; InputError with the system's reason when it cannot be written
void write_output(std::string_view text);

}  // namespace outrider

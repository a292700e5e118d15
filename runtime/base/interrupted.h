#pragma once

#include <exception>

namespace outrider {

/// The user pressed Ctrl-C, or a time is over: what asks is handed in, and finished work is kept. A program exits with 130.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

}  // namespace outrider

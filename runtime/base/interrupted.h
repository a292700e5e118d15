#pragma once

#include <exception>

namespace outrider {

/// Thrown where work ends early: the user pressed Ctrl-C, or its time is over. Long functions take a function that they
/// ask whether to end. Finished work is kept, and the program exits with 130.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

}  // namespace outrider

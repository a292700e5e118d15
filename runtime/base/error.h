#pragma once

#include <stdexcept>
#include <string>

namespace outrider {

/// A user's mistake in a flag, file or value. The message has what was expected, what was found, where,
/// and the cure if known. `run_tool` prints it and exits with 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A check that the user asked for has failed (`--check`): exit 1.
class CheckFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace outrider

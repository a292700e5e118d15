#pragma once

#include <stdexcept>

namespace outrider {

/// Something beside this process has ended or does not answer, and the same command may succeed when it is started again:
/// exit 75, as sysexits.h has it, so that a launcher can tell.
class TryAgain : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace outrider

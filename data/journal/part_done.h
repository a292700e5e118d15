#pragma once

#include <stdexcept>

namespace outrider::data {

/// A process with a share of a study has done what it can do by now, and says what is next; its result is written by one without a
/// share.
class PartDone : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace outrider::data

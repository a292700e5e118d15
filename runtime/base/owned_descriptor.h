#pragma once

#include <unistd.h>

namespace outrider {

/// A file descriptor that is closed when its owner ends.
class OwnedDescriptor {
 public:
  /// @param number  -1: none
  explicit OwnedDescriptor(int number = -1) : number_(number) {}
  ~OwnedDescriptor() { reset(); }
  OwnedDescriptor(const OwnedDescriptor&) = delete;
  OwnedDescriptor& operator=(const OwnedDescriptor&) = delete;

  int number() const { return number_; }
  /// Closes it, and owns another.
  void reset(int number = -1) {
    if (number_ >= 0) ::close(number_);
    number_ = number;
  }

 private:
  int number_;
};

}  // namespace outrider

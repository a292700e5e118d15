#include "runtime/base/error.h"
#include "tests/device_check/card.h"

namespace outrider::device_check {

Card real_card(int) {
  throw InputError(
      "device_check: this build has no CUDA: expected one of the preset cuda, or --emulated");
}

}  // namespace outrider::device_check

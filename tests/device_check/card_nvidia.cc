#include <fmt/core.h>

#include "runtime/base/error.h"
#include "runtime/engine/cuda/nvidia/nvidia_device.h"
#include "runtime/engine/cuda/nvidia/nvidia_kernels.h"
#include "tests/device_check/card.h"

namespace outrider::device_check {

Card real_card(int number) {
  const std::string why_not = cuda::nvidia::why_no_device();
  if (!why_not.empty()) throw InputError("device_check: " + why_not + ", or --emulated");
  const int cards = cuda::nvidia::count_devices();
  if (number >= cards)
    throw InputError(
        fmt::format("--card: expected a number from 0 to {}, found {}", cards - 1, number));
  Card card;
  card.device = cuda::nvidia::make_nvidia_device(number);
  card.kernels = cuda::nvidia::make_kernels(*card.device);
  card.ceilings = nvidia_ceiling_kernels(*card.device);
  return card;
}

}  // namespace outrider::device_check

#include "runtime/engine/cuda/emulated/emulated_device.h"
#include "runtime/engine/cuda/emulated/emulated_kernels.h"
#include "runtime/engine/machine.h"
#include "tests/device_check/card.h"

namespace outrider::device_check {

Card emulated_card() {
  Card card;
  card.device = cuda::emulated::make_emulated_device({.os_threads = engine::default_threads()});
  card.kernels = cuda::emulated::make_kernels(*card.device);
  card.ceilings = emulated_ceiling_kernels(*card.device);
  return card;
}

}  // namespace outrider::device_check

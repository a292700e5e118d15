#include <cstdio>
#include <exception>

#include "runtime/engine/cuda/nvidia/nvidia_device.h"
#include "tests/cuda/collectives.cuh"

// What tests/cuda/collectives_test.cc does on the emulated device, on the first card. Exit status: 0, 1 if something was
// wrong, 77 where there is no card.

int main() {
  namespace nvidia = outrider::engine::cuda::nvidia;
  try {
    if (nvidia::count_devices() == 0) {
      std::printf("skipped: %s\n", nvidia::why_no_device().c_str());
      return 77;
    }
    const auto device = nvidia::make_nvidia_device(0);
    const auto wrong = nvidia::Collectives(*device).run();
    for (const std::string& line : wrong) std::printf("%s\n", line.c_str());
    std::printf("%s, compute capability %s: %s\n", device->name().c_str(),
                device->capability().c_str(), wrong.empty() ? "all as defined" : "WRONG");
    return wrong.empty() ? 0 : 1;
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
}

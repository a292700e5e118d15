#pragma once

#include <memory>
#include <string>

#include "runtime/engine/cuda/device.h"

namespace outrider::engine::cuda::nvidia {

/// Cards that this process can use, and why there is none (half a sentence; empty where there is one).
int count_devices();
std::string why_no_device();

/// A card. @param number  below count_devices()
std::unique_ptr<Device> make_nvidia_device(int number);

}  // namespace outrider::engine::cuda::nvidia

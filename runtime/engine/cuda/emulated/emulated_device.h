#pragma once

#include <memory>

#include "runtime/engine/cuda/device.h"
#include "runtime/engine/cuda/emulated/queue.h"

namespace outrider::engine::cuda::emulated {

/// A device whose memory is the host's. New memory and what `copy_from` is still to bring hold 0xcd in every byte, so
/// that reading too early is noticed; so is a copy beyond what was allocated (std::logic_error).
std::unique_ptr<Device> make_emulated_device(const Options& options);

}  // namespace outrider::engine::cuda::emulated

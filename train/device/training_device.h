#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "runtime/engine/device_choice.h"

namespace outrider::train {

/// Where a run trains.
struct TrainingDevice {
  at::Device device = at::kCPU;
  std::string gpu = {};   // its name; empty: the processor
  std::string card = {};  // that GPU's own name, which no other in the world has
};

/// The device that was asked for, ready to be used; auto is the first GPU where LibTorch can compute on one, else the
/// processor. LibTorch's kernels for CUDA are loaded here: programs are linked with those for processors alone. On a GPU
/// the same run has the same bits each time, and products of f32 and bf16 are summed in f32. Call it before anything
/// else of LibTorch, which remembers what kernels there are.
/// @param place  of this process among those of its host that train together, each of which takes another card, from the
///               wanted one on and around
/// @throws InputError where a GPU was asked for that cannot be used: what is missing, and the cure
TrainingDevice training_device(const engine::DeviceChoice& wanted, int place = 0);

}  // namespace outrider::train

#pragma once

#include <string>

#include "train/device/training_device.h"
#include "train/modules/precision.h"

namespace outrider::train {

/// What the bits of training depend on besides the run itself: threads, instruction set and processor, or the GPU. A
/// checkpoint of other arithmetic can be continued, but not in the same bits.
std::string arithmetic_name(const TrainingDevice& device);

/// Floating-point operations per second of a large matrix product, as the modules compute it in this precision,
/// with the current threads: best of some 100 ms.
double measure_peak_flops(Precision precision, at::Device device);

}  // namespace outrider::train

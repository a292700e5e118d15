#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "runtime/model/weight.h"

namespace outrider::model {

/// Whether `quantise` makes this type: Q8_0 and Q4_1.
bool can_quantise_to(WeightType type);

/// Floats as stored blocks of a quantised type, the bytes of gguf-py: Q8_0 has scale = largest
/// magnitude / 127 and quant = nearest whole number of x / scale; Q4_1 has scale = (largest - smallest) / 15,
/// minimum = smallest and quant = nearest whole number of (x - minimum) / scale. Scale and minimum are rounded
/// to halves after the quants are found.
/// @param numbers  a multiple of 32
/// @param out      [numbers / 32 blocks]
/// @throws std::logic_error for another type
void quantise(WeightType type, std::span<const float> numbers, std::byte* out);
std::vector<std::byte> quantise(WeightType type, std::span<const float> numbers);

}  // namespace outrider::model

#pragma once

#include <cstdint>
#include <string_view>

#include "runtime/model/config.h"

namespace outrider::cost {

/// Multiply-adds of 8-bit numbers a second that `threads` threads make in registers alone: the bound of products of many
/// rows. The best of `tries`, so that it is a limit.
/// @param isa  an instruction set's name
/// @return 0 where it has no products of 8-bit numbers that are known here: scalar code, and AMX's tiles
double product_rate(std::string_view isa, int threads, int tries = 12);

/// The weights that a row is multiplied by, without attention, whose keys and values are no weights, and without the
/// logits.
std::int64_t weights_of_row(const model::ModelConfig& config);

}  // namespace outrider::cost

#pragma once

#include <string_view>

namespace outrider::cost {

/// Multiply-adds of 8-bit numbers a second by `threads` threads with operands in registers: the bound of products of many
/// rows, which no memory slows down. The best of `tries`, so that it is a limit.
/// @param isa  an instruction set's name, of those that this processor has
/// @return 0 for all but "avx2" and "avx512": scalar code has no such instruction, and AMX's tiles are not timed
double product_rate(std::string_view isa, int threads, int tries = 12);

}  // namespace outrider::cost

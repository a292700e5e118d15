#pragma once

#include <vector>

namespace outrider::engine::cpu {

/// ALiBi's slopes (Press and others 2022), [heads]: 2^(-8 i / n) for the i-th of n heads, from 1 on, if n
/// is a power of two. Else those of the next lower power, then every other one of twice as many heads.
std::vector<float> alibi_slopes(int heads);

}  // namespace outrider::engine::cpu

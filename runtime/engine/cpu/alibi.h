#pragma once

#include <vector>

namespace outrider::engine::cpu {

/// ALiBi's slopes (Press et al. 2022), [heads]: 2^(-8 i / n) for head i = 1 … n if n is a power of
/// two. Otherwise the slopes for the next lower power of two, followed by every other slope for
/// twice that power.
std::vector<float> alibi_slopes(int heads);

}  // namespace outrider::engine::cpu

#pragma once

#include <cstdint>

namespace outrider::cost {

/// Bytes per second at which `threads` threads read `bytes` bytes of memory repeatedly: the bound of a pass,
/// which reads all weights. The best of `tries`, so that it is a limit.
double read_bandwidth(std::int64_t bytes, int threads, int tries = 12);

}  // namespace outrider::cost

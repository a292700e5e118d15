#pragma once

#include <cstdint>

namespace outrider::cost {

/// Bytes per second at which `threads` threads read `bytes` bytes of memory that they have just read
/// before: what bounds a pass, whose weights are read whole every time. The best of `tries`, so that
/// it is a limit.
double read_bandwidth(std::int64_t bytes, int threads, int tries = 12);

}  // namespace outrider::cost

#pragma once

#include <cstdint>

namespace outrider {

/// Peak resident memory of this process in bytes; mapped files count while their pages are resident.
std::int64_t peak_rss_bytes();

/// Current resident memory in bytes.
std::int64_t rss_bytes();

/// Bytes of memory that this machine, or the container that the process is in, still has without swapping; 0 if it
/// does not say.
std::int64_t available_bytes();

/// The machine's memory in bytes.
std::int64_t physical_memory_bytes();

/// From now on memory of large blocks goes back to the system when they are freed: by default malloc keeps blocks of up to
/// 32 MB. @param from  bytes of a block
void return_large_blocks(int from);

}  // namespace outrider

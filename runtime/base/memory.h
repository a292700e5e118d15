#pragma once

#include <cstdint>

namespace outrider {

/// The most physical memory this process has held so far, in bytes; mapped files count while their
/// pages are present.
std::int64_t peak_rss_bytes();

/// The same, held now.
std::int64_t rss_bytes();

}  // namespace outrider

#pragma once

#include <string>

namespace outrider {

/// The current time, to the second: "2026-01-31T23:59:59Z".
std::string utc_now();

}  // namespace outrider

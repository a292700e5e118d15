#pragma once

#include <string>

namespace outrider {

/// "4 s", "3 min 20 s", "2 h 5 min".
std::string duration_text(double seconds);

}  // namespace outrider

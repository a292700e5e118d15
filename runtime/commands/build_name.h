#pragma once

#include <string>

namespace outrider {

/// What this program was built from and with: its version, the commit (with "-dirty" where files
/// differed from it) and the compiler.
std::string build_name();

}  // namespace outrider

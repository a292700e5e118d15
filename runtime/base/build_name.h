#pragma once

#include <string>

namespace outrider {

/// Version and commit of this program, with "-dirty" if files differed from the commit:
/// "0.2.0, commit 0123456789ab"
std::string code_version();

/// Version, commit and compiler, for people to read.
std::string build_name();

}  // namespace outrider

#pragma once

#include <string>

namespace outrider {

/// What this program was built from: its version and the commit, with "-dirty" where files differed
/// from it. "0.1.0, commit 0123456789ab"
std::string code_version();

/// The same and what it was built with, for a person.
std::string build_name();

}  // namespace outrider

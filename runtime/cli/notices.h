#pragma once

#include <functional>
#include <string>

namespace outrider::cli {

/// Writes each notice as a line to standard error; empty if `quiet`.
std::function<void(const std::string&)> notices(bool quiet);

}  // namespace outrider::cli

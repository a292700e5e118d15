#pragma once

#include <map>
#include <string>

namespace outrider::fuzz {

/// The seeds of the target `checkpoint`, by their names.
std::map<std::string, std::string> checkpoint_seeds();

}  // namespace outrider::fuzz

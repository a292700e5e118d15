#pragma once

#include <map>
#include <string>

namespace outrider::fuzz {

/// The seeds of the target `artifact`, by their names.
std::map<std::string, std::string> artifact_seeds();

}  // namespace outrider::fuzz

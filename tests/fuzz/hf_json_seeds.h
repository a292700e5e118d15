#pragma once

#include <map>
#include <string>

namespace outrider::fuzz {

/// The seeds of the target `hf_json`, by their names.
std::map<std::string, std::string> hf_json_seeds();

}  // namespace outrider::fuzz

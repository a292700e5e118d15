#pragma once

#include <map>
#include <string>

namespace outrider::fuzz {

/// The seeds of the target `gguf`, by their names.
std::map<std::string, std::string> gguf_seeds();

}  // namespace outrider::fuzz

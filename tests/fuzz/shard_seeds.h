#pragma once

#include <map>
#include <string>

namespace outrider::fuzz {

/// The seeds of the target `shard`, by their names.
std::map<std::string, std::string> shard_seeds();

}  // namespace outrider::fuzz

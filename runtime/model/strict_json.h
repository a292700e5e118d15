#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace outrider::model {

/// The JSON text of a file, as long as it can be read in one way only.
/// @param file  for messages
/// @throws InputError where it is not UTF-8 or not JSON, names a key twice in one object, or nests
///         deeper than 16 levels
nlohmann::json parse_strict_json(std::string_view text, const std::string& file);

}  // namespace outrider::model

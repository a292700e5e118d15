#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace outrider::model {

/// Parses the JSON text of a file, refusing ambiguities.
/// @param file  for messages
/// @throws InputError if it is not UTF-8 or not JSON, has a duplicate key in an object, or is nested
///         deeper than 16 levels
nlohmann::json parse_strict_json(std::string_view text, const std::string& file);

}  // namespace outrider::model

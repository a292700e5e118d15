#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace outrider::serve {

/// The object that a request's body is, nested at most 64 deep.
/// @throws ApiError (400) for what is not UTF-8, not JSON, nested deeper, or no object
nlohmann::json parse_body(std::string_view body);

/// The text of a value of such a body, its keys in the order in which they were given.
/// @param body   that parse_body took
/// @param place  a JSON pointer to a value that is there
std::string text_at(std::string_view body, const std::string& place);

}  // namespace outrider::serve

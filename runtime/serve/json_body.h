#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace outrider::serve {

/// The object that a request's body is, nested at most 64 deep.
/// @throws ApiError (400) for what is not UTF-8, not JSON, nested deeper, or no object
nlohmann::json parse_body(std::string_view body);

}  // namespace outrider::serve

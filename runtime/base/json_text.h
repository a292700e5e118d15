#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace outrider {

/// A JSON value as text. Names of files need not be UTF-8: bytes that are not become U+FFFD.
/// @param indent  -1: one line
template <class Json>
std::string json_text(const Json& value, int indent = -1) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace outrider

#include "runtime/serve/api_error.h"

#include <nlohmann/json.hpp>

#include "runtime/base/json_text.h"

namespace outrider::serve {
namespace {

nlohmann::ordered_json text_or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

}  // namespace

const char* type_of(const ApiError& error) {
  switch (error.status) {
    case 401:
    case 403:
      return "authentication_error";
    case 429:
      return "rate_limit_error";
    case 503:
      return "unavailable_error";
    default:
      return error.status >= 500 ? "server_error" : "invalid_request_error";
  }
}

std::string error_body(const ApiError& error) {
  return json_text(nlohmann::ordered_json{{"error",
                                           {{"message", error.message},
                                            {"type", type_of(error)},
                                            {"param", text_or_null(error.parameter)},
                                            {"code", text_or_null(error.code)}}}});
}

}  // namespace outrider::serve

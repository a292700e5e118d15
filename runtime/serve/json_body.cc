#include "runtime/serve/json_body.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "runtime/base/json_text.h"
#include "runtime/serve/api_error.h"
#include "runtime/tokenizer/utf8.h"

namespace outrider::serve {
namespace {

constexpr int kMostDepth = 64;

}  // namespace

nlohmann::json parse_body(std::string_view body) {
  using nlohmann::json;
  if (const auto offset = text::find_invalid_utf8(body))
    throw ApiError(400, fmt::format("the body is not UTF-8 from byte {} on", *offset));
  const auto limit_depth = [](int depth, json::parse_event_t, json&) {
    if (depth > kMostDepth)
      throw ApiError(400, fmt::format("the body is nested deeper than {} levels", kMostDepth));
    return true;
  };
  json parsed;
  try {
    parsed = json::parse(body, limit_depth);
  } catch (const json::parse_error& error) {
    throw ApiError(400, fmt::format("the body is not JSON from byte {} on", error.byte));
  } catch (const json::out_of_range&) {
    throw ApiError(400, "the body has a number that is too large");
  }
  if (!parsed.is_object())
    throw ApiError(400, fmt::format("the body is {}, expected an object", parsed.type_name()));
  return parsed;
}

std::string text_at(std::string_view body, const std::string& place) {
  using nlohmann::ordered_json;
  return json_text(ordered_json::parse(body).at(ordered_json::json_pointer(place)));
}

}  // namespace outrider::serve

#include "runtime/serve/request_fields.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "runtime/base/json_number.h"
#include "runtime/base/json_text.h"
#include "runtime/serve/api_error.h"

namespace outrider::serve {

using nlohmann::json;

const json* RequestFields::find(const std::string& name) {
  known_.insert(name);
  const auto found = object_.find(name);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

std::optional<std::int64_t> RequestFields::whole(const std::string& name, std::int64_t low,
                                                 std::int64_t high) {
  const json* value = find(name);
  if (value == nullptr) return std::nullopt;
  const auto number = whole_number(*value);
  if (!number || *number < low || *number > high)
    fail(name, fmt::format("a whole number from {} to {}", low, high), *value);
  return number;
}

std::optional<double> RequestFields::real(const std::string& name, double low, double high) {
  const json* value = find(name);
  if (value == nullptr) return std::nullopt;
  const double number = value->is_number() ? value->get<double>() : NAN;
  if (!(number >= low && number <= high))
    fail(name, fmt::format("a number from {} to {}", low, high), *value);
  return number;
}

std::optional<bool> RequestFields::flag(const std::string& name) {
  const json* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_boolean()) fail(name, "true or false", *value);
  return value->get<bool>();
}

std::optional<std::string> RequestFields::text(const std::string& name) {
  const json* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) fail(name, "a text", *value);
  return value->get<std::string>();
}

void RequestFields::refuse(const std::string& name, std::initializer_list<json> harmless) {
  const json* value = find(name);
  if (value == nullptr || std::find(harmless.begin(), harmless.end(), *value) != harmless.end())
    return;
  throw ApiError(400, fmt::format("{}: not supported by this server", name), name, "unsupported");
}

std::vector<std::string> RequestFields::unknown() const {
  std::vector<std::string> names;
  for (const auto& [name, value] : object_.items())
    if (known_.count(name) == 0) names.push_back(name);
  return names;
}

void RequestFields::fail(const std::string& name, const std::string& expected, const json& found) {
  throw ApiError(
      400, fmt::format("{}: expected {}, found {:.60}", name, expected, json_text(found)), name);
}

}  // namespace outrider::serve

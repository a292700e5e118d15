#include "runtime/model/json_object.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "runtime/base/error.h"
#include "runtime/base/json_number.h"

namespace outrider::model {
namespace {

using nlohmann::json;

/// A value for messages: its text if short, else its type.
std::string shown(const json& value) {
  constexpr std::size_t kMost = 60;
  const std::string text = value.is_structured() ? "" : value.dump();
  return text.empty() || text.size() > kMost ? value.type_name() : text;
}

bool is_between(const json& value, double low, double high) {
  return value.is_number() && value.get<double>() >= low && value.get<double>() <= high;
}

bool is_whole(const json& value, std::int64_t low, std::int64_t high) {
  const std::optional<std::int64_t> number = whole_number(value);
  return number && *number >= low && *number <= high;
}

}  // namespace

JsonObject::JsonObject(const json& value, std::string where)
    : value_(&value), where_(std::move(where)) {
  if (!value.is_object())
    throw InputError(fmt::format("{}: found {}, expected an object", where_, value.type_name()));
}

void JsonObject::fail(std::string_view key, const std::string& found,
                      const std::string& expected) const {
  throw InputError(fmt::format("{}: '{}' is {} (expected {})", where_, key, found, expected));
}

bool JsonObject::has(std::string_view key) const { return value_->contains(key); }

const json* JsonObject::find(std::string_view key) const {
  const auto found = value_->find(key);
  return found == value_->end() || found->is_null() ? nullptr : &*found;
}

const json& JsonObject::required(std::string_view key) const {
  const json* value = find(key);
  if (value == nullptr) throw InputError(fmt::format("{}: '{}' is missing", where_, key));
  return *value;
}

std::optional<std::int64_t> JsonObject::integer(std::string_view key, std::int64_t low,
                                                std::int64_t high) const {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!is_whole(*value, low, high))
    fail(key, shown(*value), fmt::format("a whole number from {} to {}", low, high));
  return value->get<std::int64_t>();
}

std::int64_t JsonObject::required_integer(std::string_view key, std::int64_t low,
                                          std::int64_t high) const {
  required(key);
  return *integer(key, low, high);
}

std::optional<double> JsonObject::number(std::string_view key, double low, double high) const {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!is_between(*value, low, high))
    fail(key, shown(*value), fmt::format("a number from {} to {}", low, high));
  return value->get<double>();
}

std::optional<bool> JsonObject::flag(std::string_view key) const {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_boolean()) fail(key, shown(*value), "true or false");
  return value->get<bool>();
}

std::optional<std::string> JsonObject::text(std::string_view key) const {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) fail(key, shown(*value), "a string");
  return value->get<std::string>();
}

std::string JsonObject::required_text(std::string_view key) const {
  required(key);
  return *text(key);
}

std::vector<std::int64_t> JsonObject::integers(std::string_view key, std::int64_t low,
                                               std::int64_t high) const {
  std::vector<std::int64_t> numbers;
  const auto take = [&](const json& value) {
    if (!is_whole(value, low, high))
      fail(key, shown(value), fmt::format("whole numbers from {} to {}", low, high));
    numbers.push_back(value.get<std::int64_t>());
  };
  const json* value = find(key);
  if (value == nullptr) return numbers;
  if (!value->is_array()) {
    take(*value);
  } else {
    for (const json& element : *value) take(element);
  }
  return numbers;
}

std::vector<float> JsonObject::numbers(std::string_view key, double low, double high) const {
  std::vector<float> numbers;
  const json* value = find(key);
  if (value == nullptr) return numbers;
  const std::string expected = fmt::format("a list of numbers from {} to {}", low, high);
  if (!value->is_array()) fail(key, shown(*value), expected);
  for (const json& element : *value) {
    if (!is_between(element, low, high)) fail(key, shown(element), expected);
    numbers.push_back(element.get<float>());
  }
  return numbers;
}

std::optional<JsonObject> JsonObject::object(std::string_view key) const {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  return JsonObject(*value, fmt::format("{}: {}", where_, key));
}

void JsonObject::refuse_others(std::span<const std::string_view> known,
                               std::span<const std::string_view> more) const {
  for (const auto& [key, value] : value_->items()) {
    if (value.is_null() || std::find(known.begin(), known.end(), key) != known.end() ||
        std::find(more.begin(), more.end(), key) != more.end())
      continue;
    throw InputError(fmt::format("{}: '{}' is unknown, or asks for something that is not supported",
                                 where_, key));
  }
}

}  // namespace outrider::model

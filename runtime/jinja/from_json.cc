#include "runtime/jinja/from_json.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "runtime/jinja/fault.h"

namespace outrider::jinja {
namespace {

/// Deeper values would end the stack before a template sees them.
constexpr int kMostNestedJson = 100;

Value converted(const nlohmann::ordered_json& json, Source source, int depth) {
  if (depth > kMostNestedJson)
    throw Fault(
        fmt::format("lists and dictionaries are nested more than {} deep", kMostNestedJson));
  using Type = nlohmann::ordered_json::value_t;
  const auto text = [&](const std::string& written) { return Text(written, source); };
  switch (json.type()) {
    case Type::string:
      return text(json.get_ref<const std::string&>());
    case Type::boolean:
      return json.get<bool>();
    case Type::number_integer:
      return json.get<std::int64_t>();
    case Type::number_unsigned: {
      const auto value = json.get<std::uint64_t>();
      constexpr auto kMost = std::uint64_t{1} << 63;
      return value < kMost ? Value(static_cast<std::int64_t>(value))
                           : Value(static_cast<double>(value));
    }
    case Type::number_float:
      return json.get<double>();
    case Type::array: {
      std::vector<Value> items;
      for (const auto& item : json) items.push_back(converted(item, source, depth + 1));
      return Value::list(std::move(items));
    }
    case Type::object: {
      Dict dict;
      for (const auto& [key, item] : json.items())
        dict.set(text(key), converted(item, source, depth + 1));
      return dict;
    }
    default:
      return None{};
  }
}

}  // namespace

Value from_json(const nlohmann::ordered_json& json, Source source) {
  return converted(json, source, 0);
}

}  // namespace outrider::jinja

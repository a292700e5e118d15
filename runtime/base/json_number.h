#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "runtime/base/error.h"
#include "runtime/base/json_text.h"

namespace outrider {

/// The whole number that a JSON value is; nothing for a fraction, another type or a number beyond int64.
/// nlohmann's get<> converts these silently, and its behaviour is undefined for large fractions.
template <class Json>
std::optional<std::int64_t> whole_number(const Json& value) {
  if (!value.is_number_integer()) return std::nullopt;
  if (value.is_number_unsigned() && value.template get<std::uint64_t>() > INT64_MAX)
    return std::nullopt;
  return value.template get<std::int64_t>();
}

/// A value as Integer. @param where  file and key, for messages
/// @throws InputError unless it is a whole number that Integer holds
template <class Integer, class Json>
Integer require_whole_number(const Json& value, const std::string& where) {
  using Limits = std::numeric_limits<Integer>;
  const std::optional<std::int64_t> number = whole_number(value);
  const std::int64_t low = static_cast<std::int64_t>(Limits::min());
  const std::int64_t high = sizeof(Integer) < sizeof(std::int64_t) || Limits::is_signed
                                ? static_cast<std::int64_t>(Limits::max())
                                : INT64_MAX;
  if (!number || *number < low || *number > high)
    throw InputError(fmt::format("{}: expected a whole number from {} to {}, found {:.40}", where,
                                 low, high, json_text(value)));
  return static_cast<Integer>(*number);
}

/// The whole number under a key. @param where  the file
/// @throws Json::out_of_range without the key, InputError as above
template <class Integer, class Json>
Integer whole_number_at(const Json& object, const char* key, const std::string& where) {
  return require_whole_number<Integer>(object.at(key), fmt::format("{}: '{}'", where, key));
}

}  // namespace outrider

#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "runtime/methods/method.h"

namespace outrider::methods {

/// The values of a method's settings by their keys in records; null where there is none.
nlohmann::ordered_json settings_record(Method& method);

using SettingValue = std::variant<int, double, std::string, std::vector<std::string>>;

/// Sets a setting that has no value.
/// @return whether the method has a setting of that name and type
bool fill_in(Method& method, const std::string& name, const SettingValue& value);

}  // namespace outrider::methods

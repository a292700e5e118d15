#pragma once

#include <map>
#include <string>
#include <variant>

namespace outrider::cost {

/// The value of a setting of a method: a number, or a text.
using SettingValue = std::variant<double, std::string>;
/// Settings of a method by the names of their flags ("draft-length"). What has no value, or does nothing beside the
/// others, is left out.
using SettingValues = std::map<std::string, SettingValue>;

/// A number among settings. @return 0 where it is not one of them
inline double number_of(const SettingValues& settings, const std::string& name) {
  const auto found = settings.find(name);
  const double* number = found == settings.end() ? nullptr : std::get_if<double>(&found->second);
  return number == nullptr ? 0 : *number;
}

}  // namespace outrider::cost

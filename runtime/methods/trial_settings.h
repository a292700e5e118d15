#pragma once

#include <string>
#include <vector>

#include "runtime/cost/setting_values.h"
#include "runtime/methods/method.h"

namespace outrider::methods {

/// Of some settings of a method those that have a value.
cost::SettingValues given_of(Method& method, const std::vector<std::string>& names);

/// Gives the settings that have no value those of a trial; what the method does not have is left out.
/// @param origin  of the trial, for the message: file and group
/// @throws InputError for a value that the method does not take
void fill_open(Method& method, const cost::SettingValues& values, const std::string& origin);

}  // namespace outrider::methods

#pragma once

#include <string>
#include <vector>

#include "runtime/methods/method_target.h"
#include "runtime/methods/prepared_method.h"

namespace outrider::methods {

/// The methods whose drafts can be verified beside others', by their names: Capabilities::is_source.
std::vector<std::string> possible_sources();

/// Such methods, each with its default settings.
/// @param artifacts  the setting as given, for them too
/// @throws InputError for methods that are no sources
std::vector<PreparedMethod> prepare_sources(const MethodTarget& target,
                                            const std::string& artifacts,
                                            const std::vector<std::string>& names);

}  // namespace outrider::methods

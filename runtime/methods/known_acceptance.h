#pragma once

#include <memory>
#include <string>

#include "runtime/draft/acceptance_table.h"
#include "runtime/methods/method_target.h"

namespace outrider::methods {

/// How often the drafts of a method were accepted at the temperature nearest to the target's, as `calibrate replay
/// --acceptance` counted; null where the artifacts have nothing of it.
/// @param artifacts  the setting
/// @throws InputError for an invalid group
std::shared_ptr<const draft::AcceptanceTable> known_acceptance(const MethodTarget& target,
                                                               const std::string& artifacts,
                                                               const std::string& method);

}  // namespace outrider::methods

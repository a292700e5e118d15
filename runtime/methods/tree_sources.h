#pragma once

#include <string>
#include <vector>

#include "runtime/methods/method_target.h"
#include "runtime/methods/prepared_method.h"
#include "runtime/methods/tree_method.h"

namespace outrider::methods {

/// The methods whose drafts can be nodes of a tree, by their names.
std::vector<std::string> possible_sources();

/// Drafters of trees that contain the drafts of other methods, if the settings name any, each with its default
/// settings.
/// @param artifacts  the setting as given, for the others too
/// @throws InputError for methods that are no sources, and with --verify rejection
PreparedMethod::NewDrafter with_sources(const MethodTarget& target, const std::string& artifacts,
                                        const TreeSettings& use, PreparedMethod::NewDrafter model);

}  // namespace outrider::methods

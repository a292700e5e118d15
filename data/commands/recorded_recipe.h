#pragma once

#include <string>

#include "data/generate/recipe.h"
#include "data/store/store_identity.h"
#include "runtime/inference/target.h"

namespace outrider::data {

/// The recipe that a store says its traces were made by; the other way than `trace_identity`.
/// @throws InputError when an option is missing or cannot be read
Recipe recorded_recipe(const StoreIdentity& identity);

/// The target as it was then. @param model  its file
/// @throws InputError likewise
inference::TargetOptions recorded_target(const StoreIdentity& identity, const std::string& model);

}  // namespace outrider::data

#pragma once

#include <string>

#include "data/generate/recipe.h"
#include "data/store/store_identity.h"

namespace outrider::data {

/// The recipe that a store says its traces were made by; the other way than `trace_identity`.
/// @param model  the file of the target
/// @throws InputError when an option is missing or cannot be read
Recipe recorded_recipe(const StoreIdentity& identity, const std::string& model);

}  // namespace outrider::data

#pragma once

#include <string>

#include "data/generate/recipe.h"
#include "data/store/store_identity.h"
#include "runtime/inference/target.h"

namespace outrider::data {

/// How the target chose its tokens, but for the temperature, as recorded in a store's identity.
/// @throws InputError if an option is missing or invalid
sampling::SamplerOptions recorded_sampler(const StoreIdentity& identity);

/// The recipe recorded in a store's identity; the inverse of `trace_identity`.
/// @throws InputError likewise
Recipe recorded_recipe(const StoreIdentity& identity);

/// The target's options recorded in a store's identity. @param model  its file
/// @throws InputError likewise
inference::TargetOptions recorded_target(const StoreIdentity& identity, const std::string& model);

}  // namespace outrider::data

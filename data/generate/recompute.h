#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/generate/recipe.h"
#include "data/trace.h"
#include "runtime/inference/target.h"

namespace outrider::data {

/// Makes recorded traces again, each from its own prompt tokens, temperature and seed.
/// @param recipe  the one they were made by
/// @return traces with everything that the recipe asks for, in the same order; nothing when the user
///         broke it off
/// @throws InputError for a sampler that the vocabulary does not allow
std::optional<std::vector<Trace>> recompute(inference::Target& target, const Recipe& recipe,
                                            std::span<const Trace> recorded);

/// What of two traces first differs by a bit, by the name of its dataset; empty when nothing does.
std::string first_difference(const Trace& a, const Trace& b);

}  // namespace outrider::data

#pragma once

#include <vector>

#include "data/generate/recipe.h"
#include "data/store/store_identity.h"
#include "runtime/inference/target.h"
#include "runtime/prompt_files/prompt_file.h"

namespace outrider::data {

/// Everything that determines the traces of a run: a store is only continued by a run with the same.
/// @param target  also forwards the fixed text of logits_hash
StoreIdentity trace_identity(inference::Target& target, const Recipe& recipe,
                             const std::vector<text::PromptRecord>& prompts);

}  // namespace outrider::data

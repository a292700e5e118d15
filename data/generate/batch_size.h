#pragma once

#include <vector>

#include "data/generate/recipe.h"
#include "runtime/commands/decode_target.h"
#include "runtime/text/prompt_file.h"

namespace outrider::data {

/// How many conversations to hold at a time on this machine: enough for the weights, read once a
/// pass, to cost little for each; fewer where the KV caches of the longest would take more than a
/// quarter of the memory.
int default_batch(const DecodeTarget& target, const Recipe& recipe,
                  const std::vector<text::PromptRecord>& prompts);

}  // namespace outrider::data

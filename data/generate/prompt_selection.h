#pragma once

#include <string>
#include <vector>

#include "data/generate/recipe.h"
#include "runtime/inference/target.h"
#include "runtime/prompt_files/prompt_file.h"

namespace outrider::data {

/// The prompts of a run.
struct PromptSelection {
  std::vector<text::PromptRecord> prompts;
  std::int64_t refused = 0;     // left out: the chat template refuses them
  std::int64_t too_long = 0;    // left out: no room for an answer
  std::int64_t unanswered = 0;  // left out: no answer to score
  std::int64_t changed = 0;     // left out: not the prompts that were answered
};

/// Limits the records to the turns of the recipe, and leaves out unusable ones.
/// @param skip_refused  whether prompts that the chat template refuses are left out or rejected
/// @param skip_long  whether prompts that do not fit the context are left out or rejected
/// @throws InputError when nothing is left
PromptSelection select_prompts(const inference::Target& target, const Recipe& recipe,
                               std::vector<text::PromptRecord> records, bool skip_long,
                               bool skip_refused = false);

/// A hash of everything in the prompts that traces depend on.
std::string prompts_hash(const std::vector<text::PromptRecord>& prompts, const Recipe& recipe);

}  // namespace outrider::data

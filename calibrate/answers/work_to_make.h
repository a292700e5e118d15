#pragma once

#include <span>
#include <vector>

#include "calibrate/answers/work_ahead.h"
#include "data/generate/recipe.h"
#include "runtime/inference/target.h"
#include "runtime/prompt_files/prompt_file.h"

namespace outrider::calibrate {

/// Of answers that the target still has to give, and those that are there. Times a few passes.
/// @param conversations  to make: number c is sample c % samples + 1 of prompt c / samples
/// @param made           by earlier runs
WorkAhead work_to_make(inference::Target& target, const data::Recipe& recipe,
                       const std::vector<text::PromptRecord>& prompts,
                       std::span<const int> conversations, const std::vector<Answer>& made = {});

}  // namespace outrider::calibrate

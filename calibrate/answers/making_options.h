#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "data/generate/recipe.h"
#include "runtime/inference/target.h"
#include "runtime/prompt_files/prompt_file.h"
#include "runtime/sampling/sampler_options.h"

namespace outrider::calibrate {

/// How answers are generated.
struct MakingOptions {
  std::filesystem::path prompts;  // JSON lines
  /// Samples of each prompt, the first at temperature 0, the others at 1; 0: as many as needed.
  int samples = 0;
  sampling::SamplerOptions sampler = {};  // except the temperature
  int max_new = 256;
  int prefill_chunk = 64;
  bool skip_refused = false;
  std::function<bool()> interrupted = {};  // asked before every pass; true ends it
};

/// @param samples  of each prompt: the first is greedy, further greedy ones would be equal, so the others are drawn
/// @param top      tokens whose probabilities are stored
data::Recipe recipe_of(const MakingOptions& options, int samples, int top);

/// The prompts that fit the context.
/// @throws InputError for a file that cannot be read, or when none fits
std::vector<text::PromptRecord> prompts_of(const inference::Target& target,
                                           const MakingOptions& options,
                                           const data::Recipe& recipe);

}  // namespace outrider::calibrate

#include "calibrate/answers/making_options.h"

#include <cstddef>

#include "data/generate/prompt_selection.h"
#include "data/prompts/prompt_formats.h"

namespace outrider::calibrate {

data::Recipe recipe_of(const MakingOptions& options, int samples, int top) {
  data::Recipe recipe;
  recipe.sampler = options.sampler;
  recipe.max_new = options.max_new;
  recipe.prefill_chunk = options.prefill_chunk;
  recipe.samples = samples;
  recipe.temperatures.assign(static_cast<std::size_t>(samples), 1.0);
  recipe.temperatures[0] = 0;
  recipe.top = top;
  return recipe;
}

std::vector<text::PromptRecord> prompts_of(const inference::Target& target,
                                           const MakingOptions& options,
                                           const data::Recipe& recipe) {
  return data::select_prompts(target, recipe,
                              data::read_prompt_files("jsonl", {options.prompts.string()}), true,
                              options.skip_refused)
      .prompts;
}

}  // namespace outrider::calibrate

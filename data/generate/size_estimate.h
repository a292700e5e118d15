#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/generate/prompt_conversation.h"
#include "data/generate/recipe.h"
#include "data/store/shard_plan.h"
#include "runtime/inference/target.h"
#include "runtime/prompt_files/prompt_file.h"

namespace outrider::data {

/// Upper bounds of what is generated and stored: answers may end before --max-new.
struct SizeEstimate {
  int shards = 0;
  std::int64_t traces = 0;
  std::int64_t prompt_tokens = 0;
  std::int64_t output_tokens = 0;
  std::int64_t bytes = 0;
  /// Given answers that --max-new or the context truncates.
  std::int64_t cut_answers = 0;

  /// "at most 1,000 traces of 212,345 prompt tokens and 256,000 new ones; with top 32: 50.8 MB in
  /// all, 198 bytes a new token"
  std::string line(const Recipe& recipe) const;
};

/// Counts the tokens of a whole store, independent of --shard, so that all parts are fitted to a
/// budget in the same way.
/// @param prompts  all of which fit the context
/// @param given    their answers, where these are given
SizeEstimate estimate_size(const inference::Target& target, const Recipe& recipe,
                           const std::vector<text::PromptRecord>& prompts, const ShardPlan& plan,
                           const GivenAnswers& given);

/// Computes `bytes` for the recipe.
void set_bytes(SizeEstimate& estimate, const Recipe& recipe, const model::ModelConfig& config);

/// Implements --fit, until the estimate is within the budget: leaves out hidden states, the last
/// layer of the list first, since they can be recomputed from the tokens; then halves the number of
/// probabilities stored for a token, down to none.
/// @return what was lowered, as text; empty: nothing
/// @throws InputError when that is not enough
std::string fit(SizeEstimate& estimate, Recipe& recipe, const model::ModelConfig& config,
                std::int64_t budget);

/// @throws InputError when the estimate is above the budget, with the cures
void check_budget(const SizeEstimate& estimate, const Recipe& recipe, std::int64_t budget);

}  // namespace outrider::data

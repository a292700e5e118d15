#pragma once

#include <cstdint>
#include <vector>

#include "data/generate/recipe.h"
#include "runtime/inference/target.h"
#include "runtime/records/prompt_file.h"

namespace outrider::data {

/// How many conversations to hold at a time.
struct BatchSize {
  int conversations = 1;
  /// Room in all their KV caches together, in tokens: a quarter more than so many need on average,
  /// so that memory stays flat however long some of them are.
  std::int64_t cache_tokens = 0;
};

/// @param batch  conversations; 0: chosen for the machine: enough for the weights, read once a pass,
///               to cost each of them little, and fewer where the KV caches would take more than a
///               quarter of the memory, or where the conversations are so long that a kill would cost
///               more than a minute
BatchSize choose_batch(const inference::Target& target, const Recipe& recipe,
                       const std::vector<text::PromptRecord>& prompts, int batch);

/// How many conversations make a shard: at most 16, and fewer the longer they may become, so that one
/// is on the disk within a minute. The same on every machine, for it decides what is in a store.
int choose_shard_size(const inference::Target& target, const Recipe& recipe,
                      const std::vector<text::PromptRecord>& prompts);

}  // namespace outrider::data

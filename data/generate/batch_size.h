#pragma once

#include <cstdint>
#include <vector>

#include "data/generate/recipe.h"
#include "runtime/engine/engine.h"
#include "runtime/inference/target.h"
#include "runtime/prompt_files/prompt_file.h"

namespace outrider::data {

/// The number of simultaneous conversations.
struct BatchSize {
  int conversations = 1;
  /// Room in all their KV caches together, in tokens: a quarter more than the average requires, so
  /// that memory stays flat however long some of them are.
  std::int64_t cache_tokens = 0;
};

/// Enough to amortise the weights, which are read once a pass, and fewer where the KV caches would take more than a quarter of
/// the memory, or more than half of what is free on a GPU, or where conversations are so long that a kill would lose more than
/// a minute of work.
/// @param tokens  room of each
int conversations_at_once(const engine::Engine& engine, std::int64_t tokens);

/// @param batch  conversations; 0: as many as conversations_at_once
BatchSize choose_batch(const inference::Target& target, const Recipe& recipe,
                       const std::vector<text::PromptRecord>& prompts, int batch);

/// Conversations of a shard: at most 16, and fewer the longer they may become, so that a shard is
/// written within a minute. The same on every machine, because it determines the contents of a
/// store.
int choose_shard_size(const inference::Target& target, const Recipe& recipe,
                      const std::vector<text::PromptRecord>& prompts);

}  // namespace outrider::data

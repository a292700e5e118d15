#include "data/generate/batch_size.h"

#include <algorithm>
#include <optional>

#include "runtime/base/memory.h"
#include "runtime/inference/context_needed.h"

namespace outrider::data {
namespace {

constexpr std::int64_t kShardTokens = 8'192;

struct Most {
  std::int64_t conversations;
  std::int64_t tokens;  // of unfinished conversations together: what a kill loses
};
constexpr Most kMostOnProcessor = {32, 3 * kShardTokens};
// Each pass of a GPU takes more rows at hardly more time: results/gpu.md.
constexpr Most kMostOnGpu = {512, 48 * kShardTokens};

/// The average of the conversations' largest lengths in tokens.
std::int64_t tokens_each(const inference::Target& target, const Recipe& recipe,
                         const std::vector<text::PromptRecord>& prompts) {
  std::int64_t sum = 0;
  for (const text::PromptRecord& prompt : prompts)
    sum += inference::context_needed(target, prompt, recipe.max_new);
  return sum / static_cast<std::int64_t>(prompts.size());
}

}  // namespace

int conversations_at_once(const engine::Engine& engine, std::int64_t tokens) {
  const std::optional<std::int64_t> free = engine.free_bytes_elsewhere();
  const Most& most = free ? kMostOnGpu : kMostOnProcessor;
  const std::int64_t bytes = free ? *free / 2 : physical_memory_bytes() / 4;
  const std::int64_t fitting =
      std::min(bytes / engine.cache_bytes(static_cast<int>(tokens)), most.tokens / tokens);
  return static_cast<int>(std::clamp<std::int64_t>(fitting, 1, most.conversations));
}

BatchSize choose_batch(const inference::Target& target, const Recipe& recipe,
                       const std::vector<text::PromptRecord>& prompts, int batch) {
  const std::int64_t room = tokens_each(target, recipe, prompts) * 5 / 4 + 1;
  if (batch == 0) batch = conversations_at_once(target.engine(), room);
  return {batch, room * batch};
}

int choose_shard_size(const inference::Target& target, const Recipe& recipe,
                      const std::vector<text::PromptRecord>& prompts) {
  constexpr std::int64_t kMostInShard = 16;
  const std::int64_t each = std::max<std::int64_t>(tokens_each(target, recipe, prompts), 1);
  return static_cast<int>(std::clamp<std::int64_t>(kShardTokens / each, 1, kMostInShard));
}

}  // namespace outrider::data

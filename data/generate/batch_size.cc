#include "data/generate/batch_size.h"

#include <algorithm>

#include "runtime/base/memory.h"
#include "runtime/inference/context_needed.h"

namespace outrider::data {
namespace {

constexpr int kMost = 32;
/// The most tokens of unfinished conversations together: what a kill loses.
constexpr std::int64_t kTokensAtRisk = 24'576;
constexpr std::int64_t kShardTokens = kTokensAtRisk / 3;

/// The average of the conversations' largest lengths in tokens.
std::int64_t tokens_each(const inference::Target& target, const Recipe& recipe,
                         const std::vector<text::PromptRecord>& prompts) {
  std::int64_t sum = 0;
  for (const text::PromptRecord& prompt : prompts)
    sum += inference::context_needed(target, prompt, recipe.max_new);
  return sum / static_cast<std::int64_t>(prompts.size());
}

}  // namespace

BatchSize choose_batch(const inference::Target& target, const Recipe& recipe,
                       const std::vector<text::PromptRecord>& prompts, int batch) {
  const std::int64_t room = tokens_each(target, recipe, prompts) * 5 / 4 + 1;
  if (batch == 0) {
    const std::int64_t each = target.engine().cache_bytes(static_cast<int>(room));
    const std::int64_t most = std::min(physical_memory_bytes() / 4 / each, kTokensAtRisk / room);
    batch = static_cast<int>(std::clamp<std::int64_t>(most, 1, kMost));
  }
  return {batch, room * batch};
}

int choose_shard_size(const inference::Target& target, const Recipe& recipe,
                      const std::vector<text::PromptRecord>& prompts) {
  constexpr std::int64_t kMostInShard = 16;
  const std::int64_t each = std::max<std::int64_t>(tokens_each(target, recipe, prompts), 1);
  return static_cast<int>(std::clamp<std::int64_t>(kShardTokens / each, 1, kMostInShard));
}

}  // namespace outrider::data

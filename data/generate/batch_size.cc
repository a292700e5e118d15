#include "data/generate/batch_size.h"

#include <unistd.h>

#include <algorithm>

#include "runtime/commands/context_needed.h"

namespace outrider::data {
namespace {

constexpr int kMost = 32;

std::int64_t physical_memory() {
  return static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGE_SIZE);
}

}  // namespace

BatchSize choose_batch(const DecodeTarget& target, const Recipe& recipe,
                       const std::vector<text::PromptRecord>& prompts, int batch) {
  std::int64_t sum = 0;
  for (const text::PromptRecord& prompt : prompts)
    sum += context_needed(target, recipe.decode, prompt);
  const std::int64_t room = sum / static_cast<std::int64_t>(prompts.size()) * 5 / 4 + 1;
  if (batch == 0) {
    const std::int64_t each = target.engine().cache_bytes(static_cast<int>(room));
    batch = static_cast<int>(std::clamp<std::int64_t>(physical_memory() / 4 / each, 1, kMost));
  }
  return {batch, room * batch};
}

}  // namespace outrider::data

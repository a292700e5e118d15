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

int default_batch(const DecodeTarget& target, const Recipe& recipe,
                  const std::vector<text::PromptRecord>& prompts) {
  int longest = 1;
  for (const text::PromptRecord& prompt : prompts)
    longest = std::max(longest, context_needed(target, recipe.decode, prompt));
  const auto type =
      target.engine().numerics_name() == "f32" ? engine::KvType::kF32 : engine::KvType::kF16;
  const std::int64_t each = engine::KvCache::bytes(target.model().config, longest, type);
  return static_cast<int>(std::clamp<std::int64_t>(physical_memory() / 4 / each, 1, kMost));
}

}  // namespace outrider::data

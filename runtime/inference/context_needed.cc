#include "runtime/inference/context_needed.h"

#include <fmt/core.h>

#include <algorithm>

#include "runtime/base/error.h"
#include "runtime/inference/dialogue.h"

namespace outrider::inference {
namespace {

std::size_t first_turn_tokens(const Target& target, const text::PromptRecord& prompt) {
  return Dialogue(target, prompt).ask(prompt.turns[0]).size();
}

}  // namespace

int context_needed(const Target& target, const text::PromptRecord& prompt, int max_new) {
  std::int64_t needed = static_cast<std::int64_t>(first_turn_tokens(target, prompt)) + max_new;
  const Dialogue dialogue(target, prompt);
  for (std::size_t turn = 1; turn < prompt.turns.size(); ++turn)
    needed += dialogue.most_added(prompt.turns[turn], max_new);
  return static_cast<int>(std::min<std::int64_t>(needed, target.context()));
}

bool fits_context(const Target& target, const text::PromptRecord& prompt) {
  return first_turn_tokens(target, prompt) < static_cast<std::size_t>(target.context());
}

void check_fits(const Target& target, const text::PromptRecord& prompt) {
  const std::size_t tokens = first_turn_tokens(target, prompt);
  if (tokens == 0)
    throw InputError(
        fmt::format("prompt '{}' encodes to no token, expected at least one", prompt.id));
  if (static_cast<std::int64_t>(tokens) < target.context()) return;
  throw InputError(
      fmt::format("prompt '{}' has {} tokens, expected fewer than the context of {}; shorten it{}",
                  prompt.id, tokens, target.context(),
                  target.context() < target.model().config.context ? " or raise --ctx" : ""));
}

}  // namespace outrider::inference

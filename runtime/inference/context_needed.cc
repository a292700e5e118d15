#include "runtime/inference/context_needed.h"

#include <fmt/core.h>

#include <algorithm>

#include "runtime/base/error.h"
#include "runtime/inference/dialogue.h"

namespace outrider {
namespace {

/// A prompt's own system message goes before the run's.
Dialogue dialogue_of(const DecodeTarget& target, const DecodeOptions& options,
                     const text::PromptRecord& prompt) {
  return {target, prompt.system ? prompt.system : options.system};
}

std::size_t first_turn_tokens(const DecodeTarget& target, const DecodeOptions& options,
                              const text::PromptRecord& prompt) {
  return dialogue_of(target, options, prompt).ask(prompt.turns[0]).size();
}

}  // namespace

int context_needed(const DecodeTarget& target, const DecodeOptions& options,
                   const text::PromptRecord& prompt) {
  std::int64_t needed =
      static_cast<std::int64_t>(first_turn_tokens(target, options, prompt)) + options.max_new;
  const Dialogue dialogue = dialogue_of(target, options, prompt);
  for (std::size_t turn = 1; turn < prompt.turns.size(); ++turn) {
    needed += dialogue.most_added(prompt.turns[turn], options.max_new);
  }
  return static_cast<int>(std::min<std::int64_t>(needed, target.context()));
}

bool fits_context(const DecodeTarget& target, const DecodeOptions& options,
                  const text::PromptRecord& prompt) {
  return first_turn_tokens(target, options, prompt) < static_cast<std::size_t>(target.context());
}

void check_fits(const DecodeTarget& target, const DecodeOptions& options,
                const text::PromptRecord& prompt) {
  const std::size_t tokens = first_turn_tokens(target, options, prompt);
  if (static_cast<std::int64_t>(tokens) < target.context()) return;
  throw InputError(
      fmt::format("prompt '{}' has {} tokens, expected fewer than the context of {}; shorten it{}",
                  prompt.id, tokens, target.context(),
                  target.context() < target.model().config.context ? " or raise --ctx" : ""));
}

}  // namespace outrider

#include "runtime/inference/context_needed.h"

#include <fmt/core.h>

#include <algorithm>

#include "runtime/base/error.h"
#include "runtime/inference/dialogue.h"

namespace outrider::inference {
namespace {

std::vector<Token> first_turn(const Target& target, const text::PromptRecord& prompt) {
  try {
    return Dialogue(target, prompt).ask(prompt.turns[0]);
  } catch (const jinja::TemplateError& error) {
    throw jinja::TemplateError(fmt::format("prompt '{}': {}", prompt.id, error.what()));
  }
}

}  // namespace

int context_needed(const Target& target, const text::PromptRecord& prompt, int max_new) {
  std::int64_t needed = std::ssize(first_turn(target, prompt)) + max_new;
  const Dialogue dialogue(target, prompt);
  for (std::size_t turn = 1; turn < prompt.turns.size(); ++turn)
    needed += dialogue.most_added(prompt.turns[turn], max_new);
  return static_cast<int>(std::min<std::int64_t>(needed, target.context()));
}

bool fits_context(const Target& target, const text::PromptRecord& prompt) {
  return std::ssize(first_turn(target, prompt)) < target.context();
}

bool is_refused(const Target& target, const text::PromptRecord& prompt) {
  try {
    first_turn(target, prompt);
    return false;
  } catch (const jinja::TemplateError&) {
    return true;
  }
}

void check_not_empty(const text::PromptRecord& prompt, const std::vector<Token>& tokens) {
  if (tokens.empty())
    throw InputError(
        fmt::format("prompt '{}' encodes to no token, expected at least one", prompt.id));
}

void check_fits(const Target& target, const text::PromptRecord& prompt) {
  const std::vector<Token> of_turn = first_turn(target, prompt);
  check_not_empty(prompt, of_turn);
  const std::size_t tokens = of_turn.size();
  if (static_cast<std::int64_t>(tokens) < target.context()) return;
  throw InputError(
      fmt::format("prompt '{}' has {} tokens, expected fewer than the context of {}; shorten it{}",
                  prompt.id, tokens, target.context(),
                  target.context() < target.model().config.context ? " or raise --ctx" : ""));
}

}  // namespace outrider::inference

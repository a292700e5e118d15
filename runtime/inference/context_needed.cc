#include "runtime/inference/context_needed.h"

#include <fmt/core.h>

#include <algorithm>

#include "runtime/base/error.h"
#include "runtime/inference/dialogue.h"
#include "runtime/inference/for_prompt.h"
#include "runtime/model/extend_context.h"

namespace outrider::inference {
namespace {

/// Whether the chat template takes every turn. @throws TemplateRefusal, where it does not
void open_all(const Target& target, const text::PromptRecord& prompt) {
  for_prompt(prompt, [&] {
    text::Conversation conversation{
        {}, prompt.system ? prompt.system : target.options().system, prompt.tools};
    for (std::size_t turn = 0; turn < prompt.turns.size(); ++turn) {
      const std::vector<text::Message> asked = text::asked_in(prompt, turn);
      conversation.asked = asked.size();
      conversation.messages.insert(conversation.messages.end(), asked.begin(), asked.end());
      (void)target.chat().open(conversation);
      conversation.messages.push_back({"assistant", "x"});
    }
  });
}

bool is_refused(const Target& target, const text::PromptRecord& prompt) {
  try {
    open_all(target, prompt);
    return false;
  } catch (const jinja::TemplateRefusal&) {
    return true;
  }
}

}  // namespace

std::vector<Token> first_turn(const Target& target, const text::PromptRecord& prompt) {
  return for_prompt(prompt,
                    [&] { return Dialogue(target, prompt).ask(text::asked_in(prompt, 0)); });
}

int context_needed(const Target& target, const text::PromptRecord& prompt, int max_new) {
  std::int64_t needed = std::ssize(first_turn(target, prompt)) + max_new;
  const Dialogue dialogue(target, prompt);
  for (std::size_t turn = 1; turn < prompt.turns.size(); ++turn)
    needed += for_prompt(
        prompt, [&] { return dialogue.most_added(text::asked_in(prompt, turn), max_new); });
  return static_cast<int>(std::min<std::int64_t>(needed, target.context()));
}

bool fits_context(const Target& target, const text::PromptRecord& prompt) {
  return std::ssize(first_turn(target, prompt)) < target.context();
}

void check_not_empty(const text::PromptRecord& prompt, const std::vector<Token>& tokens) {
  if (tokens.empty())
    throw InputError(
        fmt::format("prompt '{}' encodes to no token, expected at least one", prompt.id));
}

std::string refused_line(std::int64_t refused) {
  return fmt::format("left out: {} {} that the chat template refuses", refused,
                     refused == 1 ? "prompt" : "prompts");
}

std::int64_t leave_out_refused(const Target& target, std::vector<text::PromptRecord>& prompts) {
  const std::size_t all = prompts.size();
  std::erase_if(prompts, [&](const text::PromptRecord& one) { return is_refused(target, one); });
  if (prompts.empty() && all > 0)
    throw InputError("--skip-refused: the chat template refuses all prompts, so none is left");
  const std::size_t refused = all - prompts.size();
  const auto& inform = target.options().notices.inform;
  if (refused > 0 && inform) inform(refused_line(static_cast<std::int64_t>(refused)));
  return static_cast<std::int64_t>(refused);
}

void choose_prompts(const Target& target, bool skip_refused,
                    std::vector<text::PromptRecord>& prompts) {
  if (skip_refused) leave_out_refused(target, prompts);
  for (const text::PromptRecord& prompt : prompts) check_fits(target, prompt);
}

void check_fits(const Target& target, const text::PromptRecord& prompt) {
  if (prompt.turns.size() > 1) open_all(target, prompt);
  const std::vector<Token> of_turn = first_turn(target, prompt);
  check_not_empty(prompt, of_turn);
  const std::size_t tokens = of_turn.size();
  if (static_cast<std::int64_t>(tokens) < target.context()) return;
  throw InputError(
      fmt::format("prompt '{}' has {} tokens, expected fewer than the context of {}; shorten it{}",
                  prompt.id, tokens, target.context(),
                  target.context() < model::most_context(target.model()) ? " or raise --ctx" : ""));
}

}  // namespace outrider::inference

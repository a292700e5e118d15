#include "data/generate/prompt_selection.h"

#include "data/generate/prompt_conversation.h"
#include "runtime/base/error.h"
#include "runtime/base/hash.h"
#include "runtime/inference/context_needed.h"

namespace outrider::data {

PromptSelection select_prompts(const inference::Target& target, const Recipe& recipe,
                               std::vector<text::PromptRecord> records, bool skip_long,
                               bool skip_refused) {
  PromptSelection selection;
  if (recipe.only_first_turns)
    for (text::PromptRecord& record : records) keep_turns(record, 1);
  const GivenAnswers given = recipe.given_answers ? answers_in_records(target) : GivenAnswers();
  if (skip_refused) selection.refused = inference::leave_out_refused(target, records);
  for (text::PromptRecord& record : records) {
    if (given && given(record, 1, 0).empty()) {
      ++selection.unanswered;
    } else if (skip_long && !inference::fits_context(target, record)) {
      ++selection.too_long;
    } else {
      inference::check_fits(target, record);
      selection.prompts.push_back(std::move(record));
    }
  }
  if (!selection.prompts.empty()) return selection;
  if (selection.unanswered > 0)
    throw InputError(
        "--teacher reference: no prompt comes with an answer to its first turn (\"reference\" in "
        "jsonl)");
  throw InputError("--skip-long: no prompt fits the context, so none is left");
}

std::string prompts_hash(const std::vector<text::PromptRecord>& prompts, const Recipe& recipe) {
  Hasher hasher;
  hasher.add_number(prompts.size());
  for (const text::PromptRecord& prompt : prompts) {
    hasher.add_text(prompt.id);
    hasher.add_text(prompt.task);
    hasher.add_number(prompt.system ? 1 : 0);
    hasher.add_text(prompt.system.value_or(""));
    hasher.add_number(prompt.turns.size());
    for (const std::string& turn : prompt.turns) hasher.add_text(turn);
    if (!prompt.tools.empty() || !prompt.tool_steps.empty()) {
      hasher.add_text(prompt.tools);
      for (std::size_t turn = 0; turn < prompt.turns.size(); ++turn)
        for (const text::Message& message : text::asked_in(prompt, turn))
          hasher.add_text(message.json.empty() ? message.role + "\n" + message.content
                                               : message.json);
    }
    if (!recipe.given_answers) continue;
    hasher.add_text(prompt.reference);
    hasher.add_number(prompt.answers.size());
    for (const std::string& answer : prompt.answers) hasher.add_text(answer);
  }
  return hasher.hex();
}

}  // namespace outrider::data

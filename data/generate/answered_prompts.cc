#include "data/generate/answered_prompts.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "runtime/base/error.h"

namespace outrider::data {
namespace {

constexpr std::size_t kMostNamed = 5;  // prompts in a message

/// The hash of a prompt, asked again with the answers that it had.
std::uint64_t asked_hash(const inference::Target& target, const Recipe& recipe,
                         const text::PromptRecord& prompt, const GivenAnswers& given) {
  AskedHash hash;
  for (int sample = 1; sample <= recipe.samples; ++sample) {
    PromptConversation conversation(target, recipe, prompt, sample, given,
                                    [](const std::vector<Trace>&, int) {});
    while (std::optional<Turn> turn = conversation.next()) {
      hash.add(turn->trace.prompt_tokens);
      turn->trace.output_tokens = std::move(turn->given_answer);
      conversation.answered(std::move(turn->trace));
    }
  }
  return hash.value();
}

std::size_t most_turns(const PromptAnswers& answers) {
  std::size_t most = 0;
  for (const auto& sample : answers.samples) most = std::max(most, sample.size());
  return most;
}

/// "3 of 500 prompts are missing or others than those that were answered: a, b, c"
std::string changed_text(const std::vector<std::string>& changed, std::size_t all) {
  const std::size_t named = std::min(changed.size(), kMostNamed);
  return fmt::format(
      "{} of {} prompts are missing or others than those that were answered: {}{}", changed.size(),
      all, fmt::join(changed.begin(), changed.begin() + static_cast<std::ptrdiff_t>(named), ", "),
      named < changed.size() ? ", …" : "");
}

}  // namespace

void AskedHash::add(std::span<const Token> before_an_answer) {
  hasher_.add_number(before_an_answer.size());
  for (const Token token : before_an_answer) hasher_.add_number(static_cast<std::uint64_t>(token));
}

GivenAnswers answers_given(const RecordedAnswers& answers) {
  auto found = std::make_shared<std::unordered_map<std::string, const PromptAnswers*>>();
  for (const PromptAnswers& prompt : answers.prompts) found->emplace(prompt.id, &prompt);
  return [found](const text::PromptRecord& prompt, int sample, std::size_t turn) {
    const auto& turns = found->at(prompt.id)->samples[static_cast<std::size_t>(sample - 1)];
    return turn < turns.size() ? turns[turn] : std::vector<Token>();
  };
}

PromptSelection select_answered(const inference::Target& target, const Recipe& recipe,
                                std::vector<text::PromptRecord> records,
                                const RecordedAnswers& answers, const std::string& name,
                                bool skip_changed) {
  std::unordered_map<std::string, text::PromptRecord*> by_id;
  for (text::PromptRecord& record : records) by_id.emplace(record.id, &record);
  const GivenAnswers given = answers_given(answers);
  PromptSelection selection;
  std::vector<std::string> changed;
  for (const PromptAnswers& asked : answers.prompts) {
    const auto found = by_id.find(asked.id);
    if (found == by_id.end()) {
      changed.push_back(asked.id);
      continue;
    }
    text::PromptRecord record = std::move(*found->second);
    by_id.erase(found);
    keep_turns(record, most_turns(asked));
    if (asked_hash(target, recipe, record, given) == asked.hash)
      selection.prompts.push_back(std::move(record));
    else
      changed.push_back(asked.id);
  }
  selection.changed = std::ssize(changed);
  if (changed.empty()) return selection;
  const std::string text = changed_text(changed, answers.prompts.size());
  if (!skip_changed || selection.prompts.empty())
    throw InputError(fmt::format(
        "--prompts: expected those that {} was made of, but {}; give these{}", name, text,
        selection.prompts.empty() ? "" : ", or --skip-changed to leave their answers out"));
  if (target.options().notices.inform) target.options().notices.inform("left out: " + text);
  return selection;
}

}  // namespace outrider::data

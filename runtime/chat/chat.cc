#include "runtime/chat/chat.h"

#include <fmt/core.h>

#include "runtime/base/error.h"
#include "runtime/chat/chat_template.h"
#include "runtime/chat/nearest_layout.h"
#include "runtime/tokenizer/strip.h"

namespace outrider::text {
namespace {

constexpr std::string_view kThought = "</think>";

std::string_view without_newlines(std::string_view text) {
  while (text.starts_with('\n')) text.remove_prefix(1);
  return text;
}

/// An answer without its <think> part.
std::string_view after_thinking(std::string_view answer) {
  const std::size_t end = answer.rfind(kThought);
  return end == answer.npos ? answer : without_newlines(answer.substr(end + kThought.size()));
}

/// The <think> part of an answer.
std::string_view thinking(std::string_view answer) {
  std::string_view thought = answer.substr(0, answer.find(kThought));
  if (thought.size() == answer.size()) return "";
  const std::size_t begin = thought.rfind("<think>");
  if (begin != thought.npos) thought.remove_prefix(begin + 7);
  while (thought.ends_with('\n')) thought.remove_suffix(1);
  return without_newlines(thought);
}

[[noreturn]] void fail_unknown(std::string_view jinja) {
  const std::string nearest = nearest_layout(jinja);
  throw InputError(fmt::format(
      "the model's chat template is not known; choose the chat format with --chat: {}{}",
      layout_names(),
      nearest.empty() ? "" : fmt::format("; its special tokens are those of {}", nearest)));
}

void check_turns(std::span<const Message> messages) {
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const char* expected = i % 2 == 0 ? "user" : "assistant";
    if (messages[i].role == expected) continue;
    throw InputError(fmt::format(
        "message {} of the conversation is of the role '{}', expected {}: user and assistant take "
        "turns",
        i + 1, messages[i].role, expected));
  }
  if (messages.size() % 2 == 0)
    throw InputError("the conversation ends with an answer, expected a message of the user's");
}

}  // namespace

ChatFormat ChatFormat::choose(std::string_view name, const TokenizerSpec& spec) {
  const bool automatic = name == "auto";
  if (automatic && spec.chat_template.empty()) name = "raw";
  const auto known = recognise_template(spec.chat_template);
  if (known && (automatic || known->name == name)) return {*known, spec};
  if (automatic && name != "raw") fail_unknown(spec.chat_template);
  if (const auto layout = find_layout(name)) return {*layout, spec};
  throw InputError(fmt::format("--chat {}: expected auto, {}", name, layout_names()));
}

PromptText ChatFormat::open(std::span<const Message> messages,
                            const std::optional<std::string>& system) const {
  check_turns(messages);
  const std::string& first = first_system(system);
  PromptText text;
  text.mark(layout_.start);
  if (layout_.system_place == SystemPosition::kTurn) add_system_turn(first, text);
  const std::size_t head = layout_.system_place == SystemPosition::kFirstUser  ? 0
                           : layout_.system_place == SystemPosition::kLastUser ? messages.size() - 1
                                                                               : messages.size();
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (i % 2 == 0) {
      add_user(messages[i].content, i == head ? first : "", text);
    } else {
      add_earlier_answer(messages[i].content, text);
    }
  }
  text.mark(layout_.opening);
  return text;
}

PromptText ChatFormat::next_turn(std::string_view user, bool closed) const {
  const std::string& end = layout_.end_of_turn;
  PromptText text;
  text.mark(closed ? layout_.closing.substr(layout_.closing.find(end) + end.size())
                   : layout_.closing);
  add_user(user, "", text);
  text.mark(layout_.opening);
  return text;
}

bool ChatFormat::rewrites(const std::optional<std::string>& system) const {
  return layout_.thinks ||
         (layout_.system_place == SystemPosition::kLastUser && !first_system(system).empty());
}

PromptText ChatFormat::answer(std::string_view words) const {
  PromptText text;
  text.mark(layout_.lead);
  if (layout_.thinks) {
    text.mark("<think>\n");
    append_words(thinking(words), text);
    text.mark("\n</think>\n\n");
    words = without_newlines(after_thinking(words));
  }
  append_words(layout_.strips_answers ? strip(words) : words, text);
  const std::string& end = layout_.end_of_turn;
  text.mark(layout_.closing.substr(0, layout_.closing.find(end) + end.size()));
  return text;
}

const std::string& ChatFormat::before_answer() const {
  return layout_.opening.empty() ? layout_.user.after : layout_.opening;
}

const std::string& ChatFormat::first_system(const std::optional<std::string>& system) const {
  const std::string& first = system ? *system : layout_.default_system;
  if (layout_.system_place == SystemPosition::kNowhere && !first.empty())
    throw InputError(fmt::format(
        "{} no system message; leave it out, or write it in the prompt",
        layout_.is_raw
            ? "a raw text (--chat raw, or a model without a chat template) has"
            : fmt::format("the model's chat template, a form of {}, has", layout_.name)));
  return first;
}

void ChatFormat::append_words(std::string_view words, PromptText& text) const {
  if (layout_.is_raw) return text.mark(words);
  text.add_literal(words);
}

void ChatFormat::add_system_turn(const std::string& system, PromptText& text) const {
  if (system.empty() && !layout_.always_system) return;
  text.mark(layout_.system.before);
  append_words(layout_.strips_system ? strip(system) : system, text);
  text.mark(layout_.system.after);
}

void ChatFormat::add_user(std::string_view words, const std::string& system,
                          PromptText& text) const {
  if (layout_.thinks && words.starts_with("<tool_response>") &&
      words.ends_with("</tool_response>")) {
    throw InputError(fmt::format(
        "the message is a tool's response (<tool_response>), which --chat {} does not support",
        layout_.name));
  }
  text.mark(layout_.user.before);
  if (system.empty()) {
    append_words(layout_.strips_user ? strip(words) : words, text);
  } else {
    text.mark(layout_.system.before);
    append_words(system, text);
    // The template strips it together with the message.
    if (layout_.strips_user) words = strip_end(words);
    text.mark(words.empty() && layout_.strips_user ? strip_end(layout_.system.after)
                                                   : layout_.system.after);
    append_words(words, text);
  }
  text.mark(layout_.user.after);
}

void ChatFormat::add_earlier_answer(std::string_view words, PromptText& text) const {
  text.mark(layout_.opening);
  text.mark(layout_.lead);
  if (layout_.thinks) words = after_thinking(words);
  append_words(layout_.strips_answers ? strip(words) : words, text);
  text.mark(layout_.closing);
}

}  // namespace outrider::text

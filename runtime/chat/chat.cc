#include "runtime/chat/chat.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "runtime/base/error.h"
#include "runtime/chat/named_formats.h"
#include "runtime/chat/template_values.h"
#include "runtime/tokenizer/strip.h"

namespace outrider::text {
namespace {

std::string written(const TokenizerSpec& spec, Token token) {
  const auto index = static_cast<std::size_t>(token);
  return token < 0 || index >= spec.tokens.size() ? "" : spec.tokens[index];
}

const NamedFormat& find_format(const std::string& name) {
  const auto& formats = named_formats();
  const auto found = std::find_if(formats.begin(), formats.end(),
                                  [&](const NamedFormat& one) { return one.name == name; });
  if (found != formats.end()) return *found;
  throw InputError(fmt::format("--chat {}: expected auto, {}", name, format_names()));
}

void require(const NamedFormat& format, const TokenizerSpec& spec) {
  const SpecialTokens special(spec, true);
  for (const std::string& mark : format.marks) {
    const auto match = special.find(mark, 0);
    if (match && match->length == mark.size()) continue;
    // Otherwise the mark would be encoded as ordinary text.
    throw InputError(
        fmt::format("the chat format {} needs the special token {}, which the model's vocabulary "
                    "lacks; pass --chat raw",
                    format.name, mark));
  }
  if (format.jinja.find("eos_token") != std::string::npos && written(spec, spec.eos).empty()) {
    throw InputError(
        fmt::format("the chat format {} ends turns with the model's end token, but the model has "
                    "none; pass --chat raw",
                    format.name));
  }
}

/// What templates read besides the conversation and their arguments.
jinja::Dict variables_of(const TokenizerSpec& spec) {
  jinja::Dict variables;
  variables.set("documents", jinja::None{});
  const std::string bos = written(spec, spec.bos);
  if (!bos.empty()) variables.set("bos_token", bos);
  if (spec.eos >= 0) variables.set("eos_token", written(spec, spec.eos));
  return variables;
}

}  // namespace

ChatFormat ChatFormat::choose(const ChatOptions& options, const TokenizerSpec& spec) {
  if (options.format != "auto") {
    const NamedFormat& format = find_format(options.format);
    require(format, spec);
    return {format.name, format.jinja, options, spec};
  }
  if (spec.chat_template.empty()) return {"raw", "", options, spec};
  try {
    return {"auto", spec.chat_template, options, spec};
  } catch (const jinja::TemplateError& error) {
    throw InputError(
        fmt::format("the model's chat template: {}; choose another chat format with --chat: {}",
                    error.what(), format_names()));
  }
}

ChatFormat::ChatFormat(std::string name, std::string_view jinja, const ChatOptions& options,
                       const TokenizerSpec& spec)
    : name_(std::move(name)),
      template_(jinja, variables_of(spec), options),
      special_(std::make_shared<const SpecialTokens>(spec, true)),
      bos_(written(spec, spec.bos)) {
  if (!is_raw()) learn();
}

/// Finds by trying how the template writes turns.
void ChatFormat::learn() {
  const Conversation asked{{{"user", "x"}}};
  const Conversation answered{{{"user", "x"}, {"assistant", "y"}}};
  const Conversation again{{{"user", "x"}, {"assistant", "y"}, {"user", "z"}}};
  // A template may refuse any of these; then it is found out from the others.
  const auto ended = template_.try_render(answered, {}, false);
  if (ended) end_of_turn_ = first_special(*ended);
  if (const auto more = end_of_turn_.empty() ? template_.try_render(again, {}, true) : std::nullopt)
    end_of_turn_ = first_special(*more);

  const auto opened = template_.try_render(asked, {}, true);
  const auto unopened = template_.try_render(asked, {}, false);
  const auto user = opened ? span_of(*opened, source_of(0)) : std::nullopt;
  if (opened && unopened && opened->size() > unopened->size() &&
      opened->bytes().starts_with(unopened->bytes())) {
    before_answer_ = opened->bytes().substr(unopened->size());
  } else if (user) {
    before_answer_ = opened->bytes().substr(user->end);
  }
}

std::string ChatFormat::first_special(const jinja::Text& text) const {
  const auto words = span_of(text, source_of(1));
  if (!words) return "";
  for (std::size_t at = words->end;;) {
    const auto found = special_->find(text.bytes(), at);
    if (!found) return "";
    const std::string token = text.bytes().substr(found->begin, found->length);
    if (token != bos_) return std::string(strip(token));
    at = found->begin + found->length;
  }
}

/// Says whose template it is that does not take something.
template <typename Work>
auto ChatFormat::as_named(const Work& work) const {
  const auto named = [&](const jinja::TemplateError& error) {
    return fmt::format(
        "{}: {}",
        name_ == "auto" ? "the model's chat template" : fmt::format("the chat format {}", name_),
        error.what());
  };
  try {
    return work();
  } catch (const jinja::TemplateRefusal& refusal) {
    throw jinja::TemplateRefusal(named(refusal));
  } catch (const jinja::TemplateError& error) {
    throw jinja::TemplateError(named(error));
  }
}

ChatFormat::Opened ChatFormat::open(const Conversation& conversation) const {
  const std::vector<Message>& messages = conversation.messages;
  if (is_raw()) {
    if (conversation.system && !conversation.system->empty()) {
      throw jinja::TemplateRefusal(
          "a raw text (--chat raw, or a model without a chat template) has no system message; "
          "leave it out, or write it in the prompt");
    }
    if (!conversation.tools.empty() || conversation.asked > 1)
      throw jinja::TemplateRefusal(
          "a raw text (--chat raw, or a model without a chat template) has no tools");
    Opened opened;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      if (i + 1 == messages.size() && i > 0) opened.answer_end = opened.text.text().size();
      if (i + 2 == messages.size()) opened.answer_begin = opened.text.text().size();
      opened.text.mark(messages[i].content);
    }
    return opened;
  }
  return as_named([&] {
    const jinja::Text text = template_.render(conversation, true);
    template_.check_tools(conversation, text);
    Opened opened{prompt_text(text, 0, text.size())};
    for (std::size_t i = messages.size() - std::min(conversation.asked, messages.size());
         i-- > 0;) {
      if (messages[i].role != "assistant") continue;
      const auto words = span_of(text, source_of(i));
      const std::string_view said = strip(messages[i].content);
      if (words &&
          strip(std::string_view(text.bytes()).substr(words->begin, words->end - words->begin)) ==
              said) {
        opened.answer_begin = words->begin;
        opened.answer_end = words->end;
      }
      break;
    }
    return opened;
  });
}

std::optional<PromptText> ChatFormat::after_answer(const Opened& opened, std::string_view before,
                                                   bool closed) const {
  const std::string& text = opened.text.text();
  if (!opened.answer_end || opened.answer_begin < before.size() || !text.starts_with(before))
    return std::nullopt;
  // Only white space may stand between: the rest was generated.
  const std::size_t lead = opened.answer_begin - before.size();
  if (!strip(std::string_view(text).substr(before.size(), lead)).empty()) return std::nullopt;
  std::size_t begin = *opened.answer_end;
  if (closed) {
    const auto end = special_->find(text, begin);
    if (!end || strip(text.substr(end->begin, end->length)) != end_of_turn_) return std::nullopt;
    begin = text.find(end_of_turn_, end->begin) + end_of_turn_.size();
  }
  PromptText rest;
  std::size_t at = begin;
  for (const TextSpan& literal : opened.text.literals()) {
    if (literal.end <= at) continue;
    rest.mark(std::string_view(text).substr(at, literal.begin - at));
    rest.add_literal(std::string_view(text).substr(literal.begin, literal.end - literal.begin));
    at = literal.end;
  }
  rest.mark(std::string_view(text).substr(at));
  return rest;
}

PromptText ChatFormat::next_turn(const std::vector<Message>& asked,
                                 const std::string& tools) const {
  Conversation whole{
      .messages = {{"user", "x"}, {"assistant", "y"}}, .tools = tools, .asked = asked.size()};
  whole.messages.insert(whole.messages.end(), asked.begin(), asked.end());
  const Opened opened = open(whole);
  const std::string before = opened.text.text().substr(0, opened.answer_begin);
  if (auto rest = after_answer(opened, before, false)) return std::move(*rest);
  return opened.text;
}

PromptText ChatFormat::answer(const std::string& words) const {
  if (!is_raw()) return as_named([&] { return written_answer(words); });
  PromptText text;
  text.mark(words);
  return text;
}

PromptText ChatFormat::written_answer(const std::string& words) const {
  PromptText text;
  const jinja::Text asked = template_.render_with({{{"user", "x"}}}, {}, true);
  const jinja::Text whole =
      template_.render_with({{{"user", "x"}, {"assistant", words}}}, {}, false);
  if (!whole.bytes().starts_with(asked.bytes())) {
    text.add_literal(words);
    text.mark(end_of_turn_);
    return text;
  }
  const auto span = span_of(whole, source_of(1));
  const std::size_t words_end = span ? span->end : asked.size();
  const std::size_t end =
      end_of_turn_.empty() ? std::string::npos : whole.bytes().find(end_of_turn_, words_end);
  return prompt_text(whole, asked.size(),
                     end == std::string::npos ? words_end : end + end_of_turn_.size());
}

}  // namespace outrider::text

#include "runtime/chat/chat.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>

#include "runtime/base/error.h"
#include "runtime/base/numbers.h"
#include "runtime/chat/named_formats.h"
#include "runtime/chat/template_values.h"
#include "runtime/jinja/fault.h"
#include "runtime/tokenizer/strip.h"

namespace outrider::text {
namespace {

using jinja::Copied;

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
    throw InputError(fmt::format(
        "the chat format {} needs the special token {}, which the model's vocabulary lacks; "
        "pass --chat raw",
        format.name, mark));
  }
  if (format.jinja.find("eos_token") != std::string::npos && written(spec, spec.eos).empty()) {
    throw InputError(fmt::format(
        "the chat format {} ends turns with the model's end token, but the model has none; pass "
        "--chat raw",
        format.name));
  }
}

/// The date at midnight: a text depends on the day, not on the minute.
jinja::CivilTime date_of(const std::string& today) {
  if (today.empty()) {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    localtime_r(&now, &local);
    return {.year = local.tm_year + 1900, .month = local.tm_mon + 1, .day = local.tm_mday};
  }
  const std::string_view text = today;
  const auto number = [&](std::size_t begin, std::size_t size) {
    return static_cast<int>(parse_unsigned(text.substr(begin, size)).value_or(0));
  };
  if (text.size() == 10 && text[4] == '-' && text[7] == '-') {
    const jinja::CivilTime date{.year = number(0, 4), .month = number(5, 2), .day = number(8, 2)};
    if (std::chrono::year_month_day(std::chrono::year(date.year),
                                    std::chrono::month(static_cast<unsigned>(date.month)),
                                    std::chrono::day(static_cast<unsigned>(date.day)))
            .ok())
      return date;
  }
  throw InputError(fmt::format("--today: found '{}', expected a date like 2026-01-31", today));
}

}  // namespace

std::string arguments_text(const std::vector<std::pair<std::string, std::string>>& arguments) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [name, value] : arguments) json[name] = value;
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::vector<std::pair<std::string, std::string>> parse_arguments(const std::string& text) {
  const auto json = nlohmann::ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
  std::vector<std::pair<std::string, std::string>> arguments;
  if (!json.is_object()) return arguments;
  for (const auto& [name, value] : json.items()) {
    if (value.is_string()) arguments.emplace_back(name, value.get<std::string>());
  }
  return arguments;
}

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
      template_(jinja.empty() ? nullptr : std::make_shared<const jinja::Template>(jinja)),
      now_(date_of(options.today)),
      special_(std::make_shared<const SpecialTokens>(spec, true)),
      bos_(written(spec, spec.bos)) {
  variables_.set("documents", jinja::None{});
  if (!bos_.empty()) variables_.set("bos_token", bos_);
  if (spec.eos >= 0) variables_.set("eos_token", written(spec, spec.eos));
  set_arguments(options);
  if (template_) learn();
}

std::string ChatFormat::date() const {
  if (!template_ || !template_->mentions("strftime_now")) return "";
  return jinja::format_time("%F", now_);
}

void ChatFormat::set_arguments(const ChatOptions& options) {
  const auto uses = [&](const std::string& argument) {
    return template_ && template_->mentions(argument);
  };
  for (const auto& [argument, value] : options.arguments) {
    for (const char* own : {"messages", "tools", "add_generation_prompt"})
      if (argument == own)
        throw InputError(
            fmt::format("--template-arg {}: is set by the conversation itself", argument));
    if (!uses(argument))
      throw InputError(
          fmt::format("--template-arg {}: the chat template does not use it", argument));
    try {
      variables_.set(jinja::Value(argument), argument_value(value));
    } catch (const jinja::Fault& fault) {
      throw InputError(fmt::format("--template-arg {}: {}", argument, fault.what()));
    }
  }
  if (options.thinking) return;
  bool has_switch = false;
  for (const char* argument : {"enable_thinking", "thinking"}) {
    if (!uses(argument)) continue;
    variables_.set(argument, false);
    has_switch = true;
  }
  if (!has_switch) {
    throw InputError(
        "--no-thinking: the chat template has no switch for it (enable_thinking or thinking)");
  }
}

/// Finds by trying how the template writes turns.
void ChatFormat::learn() {
  const Conversation asked{{{"user", "x"}}};
  const Conversation answered{{{"user", "x"}, {"assistant", "y"}}};
  const Conversation again{{{"user", "x"}, {"assistant", "y"}, {"user", "z"}}};
  // A template may refuse any of these; then it is found out from the others.
  const auto tried = [&](const Conversation& conversation, const std::optional<std::string>& system,
                         bool opens) -> std::optional<jinja::Text> {
    try {
      return render_with(conversation, system, opens);
    } catch (const jinja::TemplateError&) {
      return std::nullopt;
    }
  };
  const auto ended = tried(answered, {}, false);
  if (ended) end_of_turn_ = first_special(*ended);
  if (const auto more = end_of_turn_.empty() ? tried(again, {}, true) : std::nullopt)
    end_of_turn_ = first_special(*more);

  const auto opened = tried(asked, {}, true);
  const auto unopened = tried(asked, {}, false);
  const auto user = opened ? span_of(*opened, source_of(0)) : std::nullopt;
  if (opened && unopened && opened->size() > unopened->size() &&
      opened->bytes().starts_with(unopened->bytes())) {
    before_answer_ = opened->bytes().substr(unopened->size());
  } else if (user) {
    before_answer_ = opened->bytes().substr(user->end);
  }

  const auto framed = tried(asked, "s", false);
  const auto system = framed ? span_of(*framed, kSystem) : std::nullopt;
  const auto question = framed ? span_of(*framed, source_of(0)) : std::nullopt;
  if (!system || !question || system->end > question->begin) return;
  const std::string& bytes = framed->bytes();
  const std::string before = bytes.substr(0, system->begin);
  const std::string between = bytes.substr(system->end, question->begin - system->end);
  const std::string after = bytes.substr(question->end);
  if (after.empty() || !between.starts_with(after)) return;
  std::string begins = between.substr(after.size());
  const std::size_t role = begins.find("user");
  if (role == std::string::npos) return;
  begins.replace(role, 4, "system");
  if (before.ends_with(begins))
    system_turn_ = SystemTurn{before.size() - begins.size(), before, after};
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

jinja::Text ChatFormat::render_with(const Conversation& conversation,
                                    const std::optional<std::string>& system,
                                    bool opens_answer) const {
  jinja::Dict all = variables_;
  try {
    std::vector<jinja::Value> messages;
    if (system) messages.push_back(message_value("system", *system, kSystem));
    for (std::size_t i = 0; i < conversation.messages.size(); ++i)
      messages.push_back(message_value(conversation.messages[i], source_of(i)));
    all.set("messages", jinja::Value::list(std::move(messages)));
    all.set("tools", conversation.tools.empty()
                         ? jinja::Value(jinja::None{})
                         : json_value(conversation.tools, jinja::kSomeInput));
  } catch (const jinja::Fault& fault) {
    throw jinja::TemplateError(fault.what());
  }
  all.set("add_generation_prompt", opens_answer);
  return template_->render(all, now_);
}

/// The conversation without a system message, not even the template's default.
std::optional<jinja::Text> ChatFormat::without_system_turn(const Conversation& conversation,
                                                           bool opens_answer) const {
  if (!system_turn_) return std::nullopt;
  const jinja::Text whole = render_with(conversation, "s", opens_answer);
  const auto words = span_of(whole, kSystem);
  if (!words || !whole.bytes().starts_with(system_turn_->before) ||
      words->begin != system_turn_->before.size() ||
      whole.bytes().compare(words->end, system_turn_->after.size(), system_turn_->after) != 0) {
    return std::nullopt;
  }
  jinja::Text rest = whole.part(0, system_turn_->begin);
  rest.append_part(whole, words->end + system_turn_->after.size(), whole.size());
  return rest;
}

jinja::Text ChatFormat::render(const Conversation& conversation, bool opens_answer) const {
  const std::optional<std::string>& system = conversation.system;
  if (!system) return render_with(conversation, {}, opens_answer);
  if (system->empty()) {
    if (auto without = without_system_turn(conversation, opens_answer)) return std::move(*without);
    jinja::Text none = render_with(conversation, {}, opens_answer);
    try {
      // Without a system message the text begins as with one: it has no default.
      const jinja::Text some = render_with(conversation, "s", opens_answer);
      const auto words = span_of(some, kSystem);
      const auto asked = span_of(none, source_of(0));
      const std::size_t before = asked ? asked->begin : 0;
      if (!words || (before <= words->begin &&
                     some.bytes().starts_with(std::string_view(none.bytes()).substr(0, before)))) {
        return none;
      }
      return render_with(conversation, "", opens_answer);
    } catch (const jinja::TemplateError&) {
      return none;  // it has no system message
    }
  }
  jinja::Text text = render_with(conversation, system, opens_answer);
  const bool is_there =
      std::any_of(text.copied().begin(), text.copied().end(), [](const Copied& part) {
        return part.source == kSystem || part.source == jinja::kSomeInput;
      });
  if (!is_there && !strip(*system).empty()) {
    throw jinja::TemplateRefusal(
        "it has no system message; leave it out, or write it in the prompt");
  }
  return text;
}

/// @throws jinja::TemplateRefusal where the text is the same without the tools, or without the calls
///         of tools
void ChatFormat::check_tools(const Conversation& conversation, const jinja::Text& text) const {
  const auto is_same = [&](const Conversation& other) {
    try {
      return render(other, true).bytes() == text.bytes();
    } catch (const jinja::TemplateError&) {
      return false;
    }
  };
  if (!conversation.tools.empty()) {
    Conversation without = conversation;
    without.tools.clear();
    if (is_same(without)) throw jinja::TemplateRefusal("it leaves the list of tools out");
  }
  Conversation without = conversation;
  bool calls = false;
  for (Message& message : without.messages) {
    if (message.json.empty()) continue;
    auto json = nlohmann::ordered_json::parse(message.json);
    if (json.erase("tool_calls") == 0) continue;
    message.json = json.dump();
    calls = true;
  }
  if (calls && is_same(without)) throw jinja::TemplateRefusal("it leaves calls of tools out");
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
    const jinja::Text text = render(conversation, true);
    check_tools(conversation, text);
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
  const jinja::Text asked = render_with({{{"user", "x"}}}, {}, true);
  const jinja::Text whole = render_with({{{"user", "x"}, {"assistant", words}}}, {}, false);
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

#include "runtime/chat/conversation_template.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/chat/template_values.h"
#include "runtime/jinja/fault.h"
#include "runtime/tokenizer/strip.h"

namespace outrider::text {

ConversationTemplate::ConversationTemplate(std::string_view jinja, const jinja::Dict& variables,
                                           const ChatOptions& options)
    : template_(jinja.empty() ? nullptr : std::make_shared<const jinja::Template>(jinja)),
      variables_(variables),
      now_(date_of(options.today)) {
  set_arguments(options);
  if (template_) find_system_turn();
}

std::string ConversationTemplate::date() const {
  if (!template_ || !template_->mentions("strftime_now")) return "";
  return jinja::format_time("%F", now_);
}

void ConversationTemplate::set_arguments(const ChatOptions& options) {
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

/// Finds by trying how the template writes a system message.
void ConversationTemplate::find_system_turn() {
  const auto framed = try_render({{{"user", "x"}}}, "s", false);
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

jinja::Text ConversationTemplate::render_with(const Conversation& conversation,
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

std::optional<jinja::Text> ConversationTemplate::try_render(
    const Conversation& conversation, const std::optional<std::string>& system,
    bool opens_answer) const {
  try {
    return render_with(conversation, system, opens_answer);
  } catch (const jinja::TemplateError&) {
    return std::nullopt;
  }
}

/// The conversation without a system message, not even the template's default.
std::optional<jinja::Text> ConversationTemplate::without_system_turn(
    const Conversation& conversation, bool opens_answer) const {
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

jinja::Text ConversationTemplate::render(const Conversation& conversation,
                                         bool opens_answer) const {
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
      std::any_of(text.copied().begin(), text.copied().end(), [](const jinja::Copied& part) {
        return part.source == kSystem || part.source == jinja::kSomeInput;
      });
  if (!is_there && !strip(*system).empty()) {
    throw jinja::TemplateRefusal(
        "it has no system message; leave it out, or write it in the prompt");
  }
  return text;
}

void ConversationTemplate::check_tools(const Conversation& conversation,
                                       const jinja::Text& text) const {
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

}  // namespace outrider::text

#include "runtime/chat/template_values.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "runtime/jinja/from_json.h"

namespace outrider::text {

using jinja::Copied;
using jinja::Source;

jinja::Value json_value(const std::string& json, Source source) {
  return jinja::from_json(nlohmann::ordered_json::parse(json), source);
}

jinja::Value argument_value(const std::string& text) {
  const auto json = nlohmann::ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
  return json.is_discarded() ? jinja::Value(text) : jinja::from_json(json, jinja::kSomeInput);
}

jinja::Value message_value(const std::string& role, const std::string& content, Source source) {
  jinja::Dict made;
  made.set("role", role);
  made.set("content", jinja::Text(content, source));
  return made;
}

jinja::Value message_value(const Message& message, Source source) {
  if (message.json.empty()) return message_value(message.role, message.content, source);
  jinja::Dict made;
  const jinja::Value whole = json_value(message.json, source);
  for (const auto& [key, value] : whole.dict()->items()) made.set(key, value);
  made.set("role", message.role);  // a mark of the template, not the message's words
  return made;
}

std::optional<TextSpan> span_of(const jinja::Text& text, Source source) {
  std::optional<TextSpan> span;
  for (const Copied& part : text.copied()) {
    if (part.source != source) continue;
    span = {span ? span->begin : part.begin, part.end};
  }
  return span;
}

PromptText prompt_text(const jinja::Text& text, std::size_t begin, std::size_t end) {
  const std::string_view bytes = text.bytes();
  PromptText made;
  std::size_t at = begin;
  for (const Copied& part : text.copied()) {
    const std::size_t from = std::max(part.begin, at);
    const std::size_t to = std::min(part.end, end);
    if (from >= to) continue;
    made.mark(bytes.substr(at, from - at));
    made.add_literal(bytes.substr(from, to - from));
    at = to;
  }
  made.mark(bytes.substr(at, end - at));
  return made;
}

}  // namespace outrider::text

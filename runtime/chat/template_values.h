#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "runtime/chat/messages.h"
#include "runtime/jinja/text.h"
#include "runtime/jinja/value.h"
#include "runtime/tokenizer/prompt_text.h"

namespace outrider::text {

// What a chat template reads, and what was copied from where into the text that it writes.

/// The source of the system message; messages are numbered from 1.
constexpr jinja::Source kSystem = 0;
constexpr jinja::Source source_of(std::size_t message) {
  return static_cast<jinja::Source>(message) + 1;
}

/// @throws nlohmann::json::exception for what is not JSON
jinja::Value json_value(const std::string& json, jinja::Source source);
/// The value of a template's argument: JSON, or the text itself.
jinja::Value argument_value(const std::string& text);
jinja::Value message_value(const std::string& role, const std::string& content,
                           jinja::Source source);
jinja::Value message_value(const Message& message, jinja::Source source);

/// The first and the last byte that were copied from a source.
std::optional<TextSpan> span_of(const jinja::Text& text, jinja::Source source);
/// Bytes of the text, with what was copied as literal text, in which no special token is looked for.
PromptText prompt_text(const jinja::Text& text, std::size_t begin, std::size_t end);

}  // namespace outrider::text

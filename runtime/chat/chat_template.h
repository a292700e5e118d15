#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/chat/chat_layout.h"

namespace outrider::text {

/// What renders a model's Jinja template without running it. The template has to be one of those
/// known: the same statements and the same literals, whatever the quotes and the white space between
/// them. Nothing is guessed from a likeness, because a template that differs in one literal renders
/// other tokens.
std::optional<ChatLayout> recognise_template(std::string_view jinja);

/// The template without what Jinja ignores: white space inside tags, outside literals, and a newline
/// at the end. Literals are in single quotes with their escapes for newline and quote resolved.
std::string normalise_template(std::string_view jinja);

/// 64 bits of the normal form, by which templates are known.
std::uint64_t template_hash(std::string_view jinja);

/// What the known template of this hash renders (known_templates.cc).
std::optional<ChatLayout> known_layout(std::uint64_t hash);

}  // namespace outrider::text

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/chat/chat_layout.h"

namespace outrider::text {

/// The layout that renders like a model's Jinja template. The template has to be one of the known ones:
/// the same statements and literals, whatever the quotes and white space between them. Similar
/// templates are not accepted, because one different literal renders other tokens.
std::optional<ChatLayout> recognise_template(std::string_view jinja);

/// The template without what Jinja ignores: white space in tags outside of literals, and a newline at
/// the end. Literals are in single quotes with their escapes for newline and quote resolved.
std::string normalise_template(std::string_view jinja);

/// 64-bit hash of the normal form, which identifies a template.
std::uint64_t template_hash(std::string_view jinja);

/// The layout of the known template with this hash (known_templates.cc).
std::optional<ChatLayout> known_layout(std::uint64_t hash);

}  // namespace outrider::text

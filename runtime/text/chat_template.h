#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace outrider::text {

/// A chat template that this version can render without running it.
struct KnownTemplate {
  std::string_view format;                         // as `--chat` names it
  std::optional<std::string_view> default_system;  // the system turn it adds by itself
};

/// Recognises a model's Jinja template. It has to be one of those known: the same statements and the
/// same literals, whatever the quotes and the white space between them. Nothing is guessed from a
/// likeness, because a template that differs in one literal renders other tokens.
std::optional<KnownTemplate> recognise_template(std::string_view jinja);

/// The template without what Jinja ignores: white space inside tags, outside literals. Literals are
/// in single quotes with their escapes for newline and quote resolved.
std::string normalise_template(std::string_view jinja);

}  // namespace outrider::text

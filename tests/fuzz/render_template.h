#pragma once

#include <string_view>

#include "runtime/jinja/template.h"

namespace outrider::fuzz {

/// A template with a conversation, of which the contents are characters that a template does not have: 1
/// and 2.
/// @throws InputError
inline jinja::Text render_template(std::string_view source) {
  using namespace jinja;
  const auto message = [](const char* role, const char* content, Source from) {
    Dict made;
    made.set("role", role);
    made.set("content", Text(content, from));
    return Value(std::move(made));
  };
  Dict given;
  given.set("messages",
            Value::list({message("system", "\x01", 0), message("user", "\x02 \x02", 1)}));
  given.set("tools", None{});
  given.set("add_generation_prompt", true);
  given.set("bos_token", "<s>");
  const Limits limits{.steps = 20'000, .bytes = 1 << 20, .output = 1 << 16, .depth = 200};
  return Template(source).render(given, {}, limits);
}

}  // namespace outrider::fuzz

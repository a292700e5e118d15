#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace outrider::text {

struct Message {
  std::string role;  // "user", "assistant" or another that the template knows, such as "tool"
  std::string content;
  // The whole message as a JSON object, where it has other keys, such as "tool_calls"; else empty.
  std::string json = {};
};

/// What is said before the first answer.
struct Conversation {
  std::vector<Message> messages;
  std::optional<std::string> system = {};  // nothing: the template's default; empty: none
  std::string tools = {};                  // a JSON list; empty: none
  std::size_t asked = 1;                   // messages at the end that come after the last answer
};

}  // namespace outrider::text

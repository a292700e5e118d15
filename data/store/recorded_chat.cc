#include "data/store/recorded_chat.h"

namespace outrider::data {

text::ChatOptions recorded_chat(const StoreIdentity& identity) {
  const auto text = [&](const char* flag, const char* otherwise) {
    const std::string* value = find_option(identity, flag);
    return value == nullptr ? std::string(otherwise) : *value;
  };
  return {.format = text("chat", "auto"),
          .arguments = text::parse_arguments(text("template-arg", "{}")),
          .thinking = find_option(identity, "no-thinking") == nullptr,
          .today = text("today", "")};
}

}  // namespace outrider::data

#include "runtime/text/chat.h"

#include <fmt/core.h>

#include "runtime/base/error.h"
#include "runtime/text/chat_template.h"
#include "runtime/text/special_tokens.h"

namespace outrider::text {
namespace {

constexpr const char* kNames = "chatml or raw";

std::string turn(std::string_view role, std::string_view content) {
  return fmt::format("<|im_start|>{}\n{}<|im_end|>\n", role, content);
}

constexpr const char* kOpenAnswer = "<|im_start|>assistant\n";

/// Without a special token for each mark a model would read the marks as ordinary text.
void require_chatml_marks(const TokenizerSpec& spec) {
  const SpecialTokens special(spec, true);
  for (const std::string_view mark : {"<|im_start|>", "<|im_end|>"}) {
    const auto match = special.find(mark, 0);
    if (match && match->length == mark.size()) continue;
    throw InputError(fmt::format(
        "the chat format chatml needs the special token {}, which the model's vocabulary lacks; "
        "pass --chat raw",
        mark));
  }
}

}  // namespace

ChatFormat ChatFormat::choose(std::string_view name, const TokenizerSpec& spec) {
  if (name == "raw" || (name == "auto" && spec.chat_template.empty())) return {"raw", false, ""};
  const auto known = recognise_template(spec.chat_template);
  if (name == "chatml" || (name == "auto" && known)) {
    require_chatml_marks(spec);
    return {"chatml", true, std::string(known ? known->default_system.value_or("") : "")};
  }
  if (name == "auto")
    throw InputError(fmt::format(
        "the model's chat template is not one that we know; say with --chat how turns are "
        "written: {}",
        kNames));
  throw InputError(fmt::format("--chat {}: expected auto, {}", name, kNames));
}

std::string ChatFormat::open(std::span<const Message> messages,
                             const std::optional<std::string>& system) const {
  std::string text;
  if (!marks_turns_) {
    text = system.value_or("");
    for (const Message& message : messages) text += message.content;
    return text;
  }
  const std::string first = system.value_or(default_system_);
  if (!first.empty()) text += turn("system", first);
  for (const Message& message : messages) text += turn(message.role, message.content);
  return text + kOpenAnswer;
}

std::string ChatFormat::next_turn(std::string_view user, bool closed) const {
  if (!marks_turns_) return std::string(user);
  return (closed ? "\n" : "<|im_end|>\n") + turn("user", user) + kOpenAnswer;
}

std::string ChatFormat::end_of_turn() const { return marks_turns_ ? "<|im_end|>" : ""; }

}  // namespace outrider::text

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/chat/chat_layout.h"
#include "runtime/tokenizer/prompt_text.h"
#include "runtime/tokenizer/tokenizer_spec.h"

namespace outrider::text {

struct Message {
  std::string role;  // "user" or "assistant"
  std::string content;
};

/// How the turns of a conversation are written for a model: the text that its chat template renders,
/// with the format's special tokens kept apart from the literal text of messages.
class ChatFormat {
 public:
  /// The format called `name` (chat_layout.h; the model's own variant of it if it has one), or for
  /// "auto" that of the model's template; raw if the model has none.
  /// @throws InputError listing the names if there is no such format, or if "auto" does not know
  ///         the model's template, with the nearest; naming a mark that is not a special token of the
  ///         vocabulary
  static ChatFormat choose(std::string_view name, const TokenizerSpec& spec);

  /// @throws InputError as above, naming a mark
  ChatFormat(const ChatLayout& layout, const TokenizerSpec& spec)
      : layout_(layout.for_model(spec)) {}

  const std::string& name() const { return layout_.name; }

  /// A conversation up to the beginning of the assistant's answer.
  /// @param messages  alternating, first and last the user's
  /// @param system  nothing: the format's default system message; empty: none
  /// @throws InputError for a system message if the format has none; for other roles or another
  ///         order; for a message that the template treats as a tool's
  PromptText open(std::span<const Message> messages,
                  const std::optional<std::string>& system) const;

  /// The text after an answer: the user's next turn, up to the beginning of the next answer.
  /// @param closed  whether the answer ended with the end of turn
  PromptText next_turn(std::string_view user, bool closed) const;

  /// Whether the template changes earlier turns later on, so that `next_turn` is wrong and the whole
  /// conversation has to be rendered by `open` again.
  bool rewrites(const std::optional<std::string>& system) const;

  /// An answer as the model would generate it, with its end of turn.
  PromptText answer(std::string_view words) const;

  /// The text before every answer.
  const std::string& before_answer() const;

  /// The text of the special token that ends a turn; empty if the format has none.
  const std::string& end_of_turn() const { return layout_.end_of_turn; }

 private:
  const std::string& first_system(const std::optional<std::string>& system) const;
  void append_words(std::string_view words, PromptText& text) const;
  void add_system_turn(const std::string& system, PromptText& text) const;
  void add_user(std::string_view words, const std::string& system, PromptText& text) const;
  void add_earlier_answer(std::string_view words, PromptText& text) const;

  ChatLayout layout_;
};

}  // namespace outrider::text

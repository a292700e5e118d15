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

/// How the turns of a conversation are written out for a model: the text that its chat template
/// renders, with the special tokens of the format apart from what was said.
class ChatFormat {
 public:
  /// The format called `name` (chat_layout.h; the model's own variant of it where the model has one),
  /// or "auto", the one that the model's template means; raw where the model has none.
  /// @throws InputError listing the names if there is no such format, or if "auto" does not know
  ///         the model's template, with the nearest; naming the mark for which the vocabulary has no
  ///         special token
  static ChatFormat choose(std::string_view name, const TokenizerSpec& spec);

  /// @throws InputError as above, naming a mark
  ChatFormat(const ChatLayout& layout, const TokenizerSpec& spec)
      : layout_(layout.for_model(spec)) {}

  const std::string& name() const { return layout_.name; }

  /// A conversation up to where the assistant's answer begins.
  /// @param messages  the user's and the assistant's in turn, first and last the user's
  /// @param system  nothing: the format's own system message; empty: none at all
  /// @throws InputError for a system message where the format has none; for other roles or another
  ///         order; for a message that the template reads as a tool's
  PromptText open(std::span<const Message> messages,
                  const std::optional<std::string>& system) const;

  /// What follows an answer when the user goes on.
  /// @param closed  whether the answer ended with the end of turn
  PromptText next_turn(std::string_view user, bool closed) const;

  /// Whether the template writes earlier turns otherwise than they were written when they came, so
  /// that `next_turn` does not do and the conversation has to be opened anew.
  bool rewrites(const std::optional<std::string>& system) const;

  /// An answer as the model would have said it, to its end of turn.
  PromptText answer(std::string_view words) const;

  /// What stands before every answer.
  const std::string& before_answer() const;

  /// The special token that ends a turn, written out; empty if the format has none.
  const std::string& end_of_turn() const { return layout_.end_of_turn; }

 private:
  const std::string& first_system(const std::optional<std::string>& system) const;
  void say(std::string_view words, PromptText& text) const;
  void add_system_turn(const std::string& system, PromptText& text) const;
  void add_user(std::string_view words, const std::string& system, PromptText& text) const;
  void add_earlier_answer(std::string_view words, PromptText& text) const;

  ChatLayout layout_;
};

}  // namespace outrider::text

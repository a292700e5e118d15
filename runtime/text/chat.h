#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "runtime/text/tokenizer_spec.h"

namespace outrider::text {

struct Message {
  std::string role;  // "user" or "assistant"
  std::string content;
};

/// How the turns of a conversation are written out for a model. The text is to be encoded with
/// special tokens parsed, as Hugging Face does with what a template renders.
class ChatFormat {
 public:
  /// The format called `name`: "chatml", "raw" (texts as they are), or "auto", the one that the
  /// model's own template means; raw where the model has none.
  /// @throws InputError listing the names if there is no such format, or if "auto" does not know
  ///         the model's template; naming the mark for which the vocabulary has no special token
  static ChatFormat choose(std::string_view name, const TokenizerSpec& spec);

  const std::string& name() const { return name_; }

  /// A conversation up to where the assistant's answer begins.
  /// @param system  nothing: the format's own system turn; empty: none at all
  std::string open(std::span<const Message> messages,
                   const std::optional<std::string>& system) const;

  /// What follows an answer when the user goes on.
  /// @param closed  whether the answer ended with the end of turn
  std::string next_turn(std::string_view user, bool closed) const;

  /// The special token that ends a turn, written out; empty if the format has none.
  std::string end_of_turn() const;

 private:
  ChatFormat(std::string name, bool marks_turns, std::string default_system)
      : name_(std::move(name)),
        marks_turns_(marks_turns),
        default_system_(std::move(default_system)) {}

  std::string name_;
  bool marks_turns_;
  std::string default_system_;  // empty: none unless given
};

}  // namespace outrider::text

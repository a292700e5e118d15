#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/inference/target.h"
#include "runtime/prompt_files/prompt_file.h"

namespace outrider::inference {

/// A conversation as tokens: the user's messages in the chat format, and the model's answers with
/// the generated tokens, so that they stay in the KV cache. Only where the format rewrites earlier
/// turns (removing their thinking) are these encoded again from their text.
class Dialogue {
 public:
  /// A dialogue with the target's system message.
  explicit Dialogue(const Target& target) : Dialogue(target, target.options().system) {}
  /// @param system  nothing: the chat format's default; empty: none
  Dialogue(const Target& target, std::optional<std::string> system)
      : target_(target), system_(std::move(system)) {}
  /// A dialogue with the prompt's tools and its own system message, otherwise the target's.
  Dialogue(const Target& target, const text::PromptRecord& prompt);

  /// Everything so far and what is asked next, up to the start of the answer.
  /// @param message  the user's, and the calls of tools that the answer comes after
  /// @throws InputError when a message is not UTF-8, or when the format does not take it, or the
  ///         system message or the tools
  std::vector<Token> ask(const std::vector<text::Message>& message) const;
  std::vector<Token> ask(const std::string& user) const {
    return ask(std::vector<text::Message>{{"user", user}});
  }
  /// Sets the conversation to these tokens and the answer to them.
  /// @param asked  the tokens of the message and all before it
  void answered(const std::vector<text::Message>& message, std::vector<Token> asked,
                std::span<const Token> answer);
  void answered(const std::string& user, std::vector<Token> asked, std::span<const Token> answer) {
    answered(std::vector<text::Message>{{"user", user}}, std::move(asked), answer);
  }

  /// Tokens that one more message and its answer may add at most.
  std::int64_t most_added(const std::vector<text::Message>& message, int max_new) const;

 private:
  text::ChatFormat::Opened opened(const std::vector<text::Message>& message) const;

  const Target& target_;
  std::optional<std::string> system_;
  std::vector<text::Message> messages_;
  std::string tools_;
  std::vector<Token> tokens_;
  std::string asked_;    // the text that was answered last
  bool closed_ = false;  // whether the last answer ended with the end of turn
};

}  // namespace outrider::inference

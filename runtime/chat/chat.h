#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/chat/chat_options.h"
#include "runtime/chat/conversation_template.h"
#include "runtime/chat/messages.h"
#include "runtime/jinja/text.h"
#include "runtime/tokenizer/prompt_text.h"
#include "runtime/tokenizer/special_tokens.h"
#include "runtime/tokenizer/tokenizer_spec.h"

namespace outrider::text {

/// How the turns of a conversation are written for a model: its chat template, with the template's
/// special tokens kept apart from the literal text of messages.
class ChatFormat {
 public:
  /// The named format, or for "auto" the model's template; raw if the model has none.
  /// @throws InputError listing the names if there is no such format; for a template that cannot be
  ///         read, naming line and column; naming a mark that is not a special token of the
  ///         vocabulary; for an argument that the template does not use
  static ChatFormat choose(const ChatOptions& options, const TokenizerSpec& spec);

  /// The format's name, "auto" for the model's own template.
  const std::string& name() const { return name_; }
  /// The text is written as it is, since that was asked for or the model has no template.
  bool is_raw() const { return template_.is_empty(); }
  /// The date that the text depends on ("2026-01-31"); empty if it depends on none.
  std::string date() const { return template_.date(); }

  /// The conversation as text up to the beginning of the next answer.
  struct Opened {
    PromptText text;
    // Where the last answer's words end, if there is one and its words stand in the text as they are.
    std::optional<std::size_t> answer_end = {};
    std::size_t answer_begin = 0;
  };
  /// @throws jinja::TemplateRefusal for what the template refuses, and for a system message, tools or
  ///         calls of tools that it leaves out; InputError for what it cannot do, and for text that is
  ///         not UTF-8
  Opened open(const Conversation& conversation) const;

  /// The text between the words of an answer and the next one, or nothing where earlier turns are
  /// written otherwise from now on, so that the whole conversation has to be encoded again.
  /// @param opened  the conversation with the answer and what follows it
  /// @param before  the text that was answered
  /// @param closed  whether the answer ended with the end of turn
  std::optional<PromptText> after_answer(const Opened& opened, std::string_view before,
                                         bool closed) const;

  /// The text of a further turn, from the end of the answer before it.
  /// @param asked  the user's message, and what follows it before the next answer
  /// @param tools  of the conversation, as in Conversation
  PromptText next_turn(const std::vector<Message>& asked, const std::string& tools = {}) const;

  /// An answer as the model would generate it, with its end of turn. @throws InputError as `open`
  PromptText answer(const std::string& words) const;

  /// The text before every answer.
  const std::string& before_answer() const { return before_answer_; }

  /// The text of the special token that ends a turn; empty if the format has none.
  const std::string& end_of_turn() const { return end_of_turn_; }

 private:
  ChatFormat(std::string name, std::string_view jinja, const ChatOptions& options,
             const TokenizerSpec& spec);
  template <typename Work>
  auto as_named(const Work& work) const;
  PromptText written_answer(const std::string& words) const;
  void learn();
  /// The first special token after the words of an answer.
  std::string first_special(const jinja::Text& text) const;

  std::string name_;
  ConversationTemplate template_;  // empty: raw
  std::shared_ptr<const SpecialTokens> special_;
  std::string bos_;
  std::string end_of_turn_;
  std::string before_answer_;
};

}  // namespace outrider::text

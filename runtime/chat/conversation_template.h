#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/chat/chat_options.h"
#include "runtime/chat/messages.h"
#include "runtime/jinja/template.h"

namespace outrider::text {

/// A chat template with its arguments: conversations as text, in which is marked what was copied from which message
/// (template_values.h).
class ConversationTemplate {
 public:
  /// @param jinja      empty: there is none, so nothing can be rendered
  /// @param variables  besides the conversation and the arguments
  /// @throws jinja::TemplateError for a template that cannot be read; InputError for an argument that it does not use
  ConversationTemplate(std::string_view jinja, const jinja::Dict& variables,
                       const ChatOptions& options);

  bool is_empty() const { return !template_; }
  /// The date that the text depends on ("2026-01-31"); empty if it depends on none.
  std::string date() const;

  /// The conversation with its system message; where that is empty, without one, if the template permits.
  /// @param opens_answer  up to the beginning of the next answer
  /// @throws jinja::TemplateError; TemplateRefusal for a system message that the template leaves out
  jinja::Text render(const Conversation& conversation, bool opens_answer) const;
  /// With another system message: nothing is the template's default. @throws jinja::TemplateError
  jinja::Text render_with(const Conversation& conversation,
                          const std::optional<std::string>& system, bool opens_answer) const;
  /// The same, or nothing where the template refuses it.
  std::optional<jinja::Text> try_render(const Conversation& conversation,
                                        const std::optional<std::string>& system,
                                        bool opens_answer) const;
  /// @param text  the conversation up to the beginning of the next answer
  /// @throws jinja::TemplateRefusal where it is the same without the tools, or without the calls of tools
  void check_tools(const Conversation& conversation, const jinja::Text& text) const;

 private:
  void set_arguments(const ChatOptions& options);
  void find_system_turn();
  std::optional<jinja::Text> without_system_turn(const Conversation& conversation,
                                                 bool opens_answer) const;

  /// The frame of a system message's turn, where it is like a user's.
  struct SystemTurn {
    std::size_t begin;   // of the turn in the text
    std::string before;  // all text before the message's words
    std::string after;   // of the turn after them
  };

  std::shared_ptr<const jinja::Template> template_;  // null: there is none
  jinja::Dict variables_;                            // besides the conversation
  jinja::CivilTime now_;
  std::optional<SystemTurn> system_turn_;
};

}  // namespace outrider::text

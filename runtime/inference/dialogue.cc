#include "runtime/inference/dialogue.h"

namespace outrider::inference {

Dialogue::Dialogue(const Target& target, const text::PromptRecord& prompt)
    : Dialogue(target, prompt.system ? prompt.system : target.options().system) {
  tools_ = prompt.tools;
}

text::ChatFormat::Opened Dialogue::opened(const std::vector<text::Message>& message) const {
  text::Conversation conversation{messages_, system_, tools_, message.size()};
  conversation.messages.insert(conversation.messages.end(), message.begin(), message.end());
  return target_.chat().open(conversation);
}

std::vector<Token> Dialogue::ask(const std::vector<text::Message>& message) const {
  const text::Tokenizer& tokenizer = target_.tokenizer();
  const text::ChatFormat::Opened whole = opened(message);
  const auto rest =
      messages_.empty() ? std::nullopt : target_.chat().after_answer(whole, asked_, closed_);
  if (!rest) return tokenizer.encode_opening(whole.text);
  std::vector<Token> tokens = tokens_;
  const std::vector<Token> added = tokenizer.encode(*rest);
  tokens.insert(tokens.end(), added.begin(), added.end());
  return tokens;
}

void Dialogue::answered(const std::vector<text::Message>& message, std::vector<Token> asked,
                        std::span<const Token> answer) {
  const text::Tokenizer& tokenizer = target_.tokenizer();
  const std::string& end = target_.chat().end_of_turn();
  closed_ = !end.empty() && !answer.empty() && answer.back() == tokenizer.special(end);
  asked_ = opened(message).text.text();
  tokens_ = std::move(asked);
  tokens_.insert(tokens_.end(), answer.begin(), answer.end());
  messages_.insert(messages_.end(), message.begin(), message.end());
  messages_.push_back(
      {"assistant", tokenizer.decode(answer.first(answer.size() - std::size_t{closed_}))});
}

std::int64_t Dialogue::most_added(const std::vector<text::Message>& message, int max_new) const {
  const text::PromptText written = target_.chat().next_turn(message, tools_);
  return static_cast<std::int64_t>(target_.tokenizer().encode(written).size()) + max_new;
}

}  // namespace outrider::inference

#include "runtime/inference/dialogue.h"

namespace outrider::inference {

text::ChatFormat::Opened Dialogue::opened(const std::string& message) const {
  text::Conversation conversation{messages_, system_, tools_};
  conversation.messages.push_back({"user", message});
  return target_.chat().open(conversation);
}

std::vector<Token> Dialogue::ask(const std::string& message) const {
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

void Dialogue::answered(std::string message, std::vector<Token> asked,
                        std::span<const Token> answer) {
  const text::Tokenizer& tokenizer = target_.tokenizer();
  const std::string& end = target_.chat().end_of_turn();
  closed_ = !end.empty() && !answer.empty() && answer.back() == tokenizer.special(end);
  asked_ = opened(message).text.text();
  tokens_ = std::move(asked);
  tokens_.insert(tokens_.end(), answer.begin(), answer.end());
  messages_.push_back({"user", std::move(message)});
  messages_.push_back(
      {"assistant", tokenizer.decode(answer.first(answer.size() - std::size_t{closed_}))});
}

std::int64_t Dialogue::most_added(const std::string& message, int max_new) const {
  const text::PromptText written = target_.chat().next_turn(message);
  return static_cast<std::int64_t>(target_.tokenizer().encode(written).size()) + max_new;
}

}  // namespace outrider::inference

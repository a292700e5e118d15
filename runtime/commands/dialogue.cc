#include "runtime/commands/dialogue.h"

namespace outrider {

std::vector<Token> Dialogue::ask(const std::string& message) const {
  const text::Tokenizer& tokenizer = target_.tokenizer();
  std::vector<Token> tokens = tokens_.empty() ? tokenizer.start() : tokens_;
  const text::Message first = {"user", message};
  const std::string written = tokens_.empty() ? target_.chat().open({&first, 1}, system_)
                                              : target_.chat().next_turn(message, closed_);
  const std::vector<Token> added = tokenizer.encode(written, true);
  tokens.insert(tokens.end(), added.begin(), added.end());
  return tokens;
}

void Dialogue::answered(std::vector<Token> asked, std::span<const Token> answer) {
  const std::string end = target_.chat().end_of_turn();
  closed_ = !end.empty() && !answer.empty() && answer.back() == target_.tokenizer().special(end);
  tokens_ = std::move(asked);
  tokens_.insert(tokens_.end(), answer.begin(), answer.end());
}

std::int64_t Dialogue::most_added(const std::string& message, int max_new) const {
  const std::string written = target_.chat().next_turn(message, false);
  return static_cast<std::int64_t>(target_.tokenizer().encode(written, true).size()) + max_new;
}

}  // namespace outrider

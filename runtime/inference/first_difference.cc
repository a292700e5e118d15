#include "runtime/inference/first_difference.h"

#include <fmt/core.h>

namespace outrider::inference {
namespace {

std::string token_at(const std::vector<Token>& tokens, std::size_t position,
                     const text::Tokenizer& tokenizer) {
  if (position >= tokens.size()) return "the end of the text";
  const Token token = tokens[position];
  return fmt::format("token {} '{}'", token, tokenizer.decode(std::span(&token, 1), true));
}

}  // namespace

std::optional<Difference> first_difference(const GeneratedText& drafted, const GeneratedText& plain,
                                           const text::Tokenizer& tokenizer) {
  const std::vector<Token>& mine = drafted.result.tokens;
  const std::vector<Token>& theirs = plain.result.tokens;
  const std::size_t position = common_prefix(mine, theirs);
  if (position < mine.size() || position < theirs.size())
    return Difference{fmt::format("position {} of the text", position),
                      token_at(mine, position, tokenizer), token_at(theirs, position, tokenizer)};
  if (drafted.result.finish != plain.result.finish)
    return Difference{"the finish reason", decode::finish_name(drafted.result.finish),
                      decode::finish_name(plain.result.finish)};
  if (drafted.text != plain.text)
    return Difference{"the text of equal tokens", fmt::format("'{}'", drafted.text),
                      fmt::format("'{}'", plain.text)};
  return std::nullopt;
}

}  // namespace outrider::inference

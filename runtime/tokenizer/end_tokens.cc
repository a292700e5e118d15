#include "runtime/tokenizer/end_tokens.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace outrider::text {
namespace {

// Ends of a text, of a turn or of a message, as special tokens are called in the models that have them.
constexpr std::array<std::string_view, 26> kEnds = {
    "<|endoftext|>",
    "<|end_of_text|>",
    "<|im_end|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|eot|>",
    "<|eom|>",
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<|end_of_turn|>",
    "<|endofturn|>",
    "[|endofturn|]",
    "<|END_OF_TURN_TOKEN|>",
    "<end_of_turn>",
    "<turn|>",
    "<end_of_utterance>",
    "<eos>",
    "<EOS>",
    "<EOT>",
    "_<EOT>",
    "< EOT >",
    "[EOS]",
    "[EOT]",
    "</s>",
    "<｜end▁of▁sentence｜>",
};

bool contains(const std::vector<Token>& tokens, Token token) {
  return std::find(tokens.begin(), tokens.end(), token) != tokens.end();
}

}  // namespace

std::vector<Token> end_tokens(const TokenizerSpec& spec) {
  std::vector<Token> ends = spec.end_tokens;
  if (spec.eos >= 0 && !contains(ends, spec.eos)) ends.push_back(spec.eos);
  std::vector<Token> meant;
  bool ends_by_return = false;  // then <|end|> is between the messages of one answer
  Token between = -1;
  for (std::size_t i = 0; i < spec.tokens.size(); ++i) {
    if (spec.kinds[i] != TokenKind::kControl && spec.kinds[i] != TokenKind::kUserDefined) continue;
    if (std::find(kEnds.begin(), kEnds.end(), spec.tokens[i]) == kEnds.end()) continue;
    if (spec.tokens[i] == "<|return|>") ends_by_return = true;
    if (spec.tokens[i] == "<|end|>") between = static_cast<Token>(i);
    meant.push_back(static_cast<Token>(i));
  }
  for (const Token token : meant) {
    if (contains(ends, token) || (ends_by_return && token == between)) continue;
    ends.push_back(token);
  }
  return ends;
}

}  // namespace outrider::text

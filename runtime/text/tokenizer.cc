#include "runtime/text/tokenizer.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <limits>

#include "runtime/base/error.h"
#include "runtime/text/normal_form.h"
#include "runtime/text/utf8.h"

namespace outrider::text {
namespace {

constexpr std::size_t kMaxText = std::size_t{1} << 30;  // bytes; positions in a word are 32 bits

const TokenizerSpec& checked(const TokenizerSpec& spec) {
  const std::size_t vocab = spec.tokens.size();
  if (vocab == 0 || vocab > std::numeric_limits<Token>::max()) {
    throw InputError(fmt::format("the tokenizer has {} tokens; expected 1 to 2^31 - 1", vocab));
  }
  if (spec.kinds.size() != vocab) {
    throw InputError(
        fmt::format("the tokenizer has {} tokens, but {} token kinds", vocab, spec.kinds.size()));
  }
  const auto check = [vocab](const char* what, Token token) {
    if (token >= 0 && static_cast<std::size_t>(token) < vocab) return;
    throw InputError(
        fmt::format("the tokenizer's {} token is {}; expected 0 to {}", what, token, vocab - 1));
  };
  if (spec.add_bos) check("beginning-of-text", spec.bos);
  for (const Token token : spec.end_tokens) check("end", token);
  return spec;
}

}  // namespace

Tokenizer::Tokenizer(const TokenizerSpec& spec)
    : model_(make_tokenizer_model(checked(spec))),
      nfc_(spec.nfc),
      all_special_(spec, true),
      user_defined_(spec, false),
      end_tokens_(spec.end_tokens) {
  if (spec.add_bos) start_.push_back(spec.bos);
  for (std::size_t i = 0; i < spec.tokens.size(); ++i) {
    const TokenKind kind = spec.kinds[i];
    const bool hidden = kind == TokenKind::kControl || kind == TokenKind::kUnknown;
    const bool literal = hidden || kind == TokenKind::kUserDefined;
    pieces_.push_back(literal ? spec.tokens[i] : model_->bytes(spec.tokens[i]));
    hidden_.push_back(hidden);
  }
}

std::vector<Token> Tokenizer::encode(std::string_view text, bool parse_special) const {
  return encode_around(parse_special ? all_special_ : user_defined_, text, {});
}

std::vector<Token> Tokenizer::encode(const PromptText& text) const {
  return encode_around(all_special_, text.text(), text.said());
}

std::vector<Token> Tokenizer::encode_opening(const PromptText& text) const {
  std::vector<Token> tokens = encode(text);
  const bool started = !start_.empty() && !tokens.empty() && tokens.front() == start_.front();
  if (!started) tokens.insert(tokens.begin(), start_.begin(), start_.end());
  return tokens;
}

/// Special tokens stand for themselves, and what is around them is encoded piece by piece.
std::vector<Token> Tokenizer::encode_around(const SpecialTokens& special, std::string_view text,
                                            std::span<const TextSpan> said) const {
  if (text.size() > kMaxText) {
    throw InputError(
        fmt::format("the text has {} bytes; expected at most {}", text.size(), kMaxText));
  }
  if (const auto offset = find_invalid_utf8(text)) {
    throw InputError(fmt::format("the text is not UTF-8: byte {} (0x{:02X}) begins no character",
                                 *offset, static_cast<unsigned char>(text[*offset])));
  }
  std::vector<Token> tokens;
  const auto encode_plain = [&](std::string_view plain) {
    if (nfc_) return model_->encode(normal_form_c(plain), tokens);
    model_->encode(plain, tokens);
  };
  std::size_t done = 0;
  while (const auto match = special.find(text, done, said)) {
    encode_plain(text.substr(done, match->begin - done));
    tokens.push_back(match->token);
    done = match->begin + match->length;
  }
  encode_plain(text.substr(done));
  return tokens;
}

const std::string& Tokenizer::piece(Token token, bool show_special) const {
  static const std::string nothing;
  if (token < 0 || token >= vocab()) {
    throw InputError(fmt::format("there is no token {}; expected 0 to {}", token, vocab() - 1));
  }
  const auto index = static_cast<std::size_t>(token);
  return hidden_[index] && !show_special ? nothing : pieces_[index];
}

std::string Tokenizer::decode(std::span<const Token> tokens, bool show_special) const {
  Utf8Stream stream;
  std::string text;
  for (const Token token : tokens) text += stream.push(piece(token, show_special));
  return text + stream.flush();
}

bool Tokenizer::is_end(Token token) const {
  return std::find(end_tokens_.begin(), end_tokens_.end(), token) != end_tokens_.end();
}

Token Tokenizer::special(std::string_view written) const {
  const auto match = all_special_.find(written, 0);
  return match && match->begin == 0 && match->length == written.size() ? match->token : -1;
}

}  // namespace outrider::text

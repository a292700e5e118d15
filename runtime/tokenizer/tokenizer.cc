#include "runtime/tokenizer/tokenizer.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <limits>

#include "runtime/base/error.h"
#include "runtime/tokenizer/detokenizer.h"
#include "runtime/tokenizer/utf8.h"

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
  for (const auto& added : spec.added_rules) check("added", added.first);
  if (spec.unknown >= 0) check("unknown", spec.unknown);
  return spec;
}

}  // namespace

Tokenizer::Tokenizer(const TokenizerSpec& spec)
    : model_(make_tokenizer_model(checked(spec))),
      normaliser_(spec.normaliser),
      written_(spec, true),
      all_special_(special_pair(spec, true, normaliser_)),
      user_defined_(special_pair(spec, false, normaliser_)),
      dropped_spaces_(spec.dropped_spaces) {
  if (spec.add_bos) start_.push_back(spec.bos);
  for (std::size_t i = 0; i < spec.tokens.size(); ++i) {
    const TokenKind kind = spec.kinds[i];
    const auto rules = spec.added_rules.find(static_cast<Token>(i));
    std::string storage;
    const std::string_view stored = rules != spec.added_rules.end() && rules->second.normalized
                                        ? normaliser_.apply(spec.tokens[i], storage)
                                        : spec.tokens[i];
    pieces_.push_back(model_->bytes(stored, kind));
    hidden_.push_back(kind == TokenKind::kControl || kind == TokenKind::kUnknown);
  }
}

Tokenizer::SpecialPair Tokenizer::special_pair(const TokenizerSpec& spec, bool control,
                                               const Normaliser& normaliser) {
  return {SpecialTokens::before(spec, control), SpecialTokens::after(spec, control, normaliser)};
}

std::vector<Token> Tokenizer::encode(std::string_view text, bool parse_special) const {
  return encode_around(parse_special ? all_special_ : user_defined_, text, {});
}

std::vector<Token> Tokenizer::encode(const PromptText& text) const {
  return encode_around(all_special_, text.text(), text.literals());
}

std::vector<Token> Tokenizer::encode_opening(const PromptText& text) const {
  std::vector<Token> tokens = encode(text);
  const bool started = !start_.empty() && !tokens.empty() && tokens.front() == start_.front();
  if (!started) tokens.insert(tokens.begin(), start_.begin(), start_.end());
  return tokens;
}

/// Special tokens become their ids; the text between them is encoded part by part.
std::vector<Token> Tokenizer::encode_around(const SpecialPair& special, std::string_view text,
                                            std::span<const TextSpan> literals) const {
  if (text.size() > kMaxText) {
    throw InputError(
        fmt::format("the text has {} bytes; expected at most {}", text.size(), kMaxText));
  }
  if (const auto offset = find_invalid_utf8(text)) {
    throw InputError(fmt::format("the text is not UTF-8: byte {} (0x{:02X}) begins no character",
                                 *offset, static_cast<unsigned char>(text[*offset])));
  }
  std::vector<Token> tokens;
  for (const TextPart& part : special.before.split(text, literals)) {
    if (part.token >= 0) {
      tokens.push_back(part.token);
      continue;
    }
    std::string storage;
    const std::string_view written = text.substr(part.begin, part.end - part.begin);
    const std::string_view normal = normaliser_.apply(written, storage);
    std::vector<TextSpan> normal_literals;
    if (!special.after.empty())
      normal_literals = literals_in_normal_form(written, part.begin, literals);
    for (const TextPart& inner : special.after.split(normal, normal_literals)) {
      if (inner.token >= 0) {
        tokens.push_back(inner.token);
      } else {
        model_->encode(normal.substr(inner.begin, inner.end - inner.begin),
                       part.begin == 0 && inner.begin == 0, tokens);
      }
    }
  }
  return tokens;
}

std::vector<TextSpan> Tokenizer::literals_in_normal_form(std::string_view part, std::size_t begin,
                                                         std::span<const TextSpan> literals) const {
  const auto offset = [&](std::size_t at) {  // bytes of the normalised text before `at`
    std::string storage;
    const std::size_t before = std::clamp(at, begin, begin + part.size()) - begin;
    return normaliser_.apply(part.substr(0, before), storage).size();
  };
  std::vector<TextSpan> spans;
  for (const TextSpan& span : literals) {
    if (span.end <= begin || span.begin >= begin + part.size()) continue;
    spans.push_back({offset(span.begin), offset(span.end)});
  }
  return spans;
}

const std::string& Tokenizer::piece(Token token, bool show_special) const {
  static const std::string nothing;
  if (token < 0 || token >= vocab()) {
    throw InputError(fmt::format("there is no token {}; expected 0 to {}", token, vocab() - 1));
  }
  const auto index = static_cast<std::size_t>(token);
  return hidden_[index] && !show_special ? nothing : pieces_[index];
}

std::string_view Tokenizer::opening(std::string_view piece) const {
  const std::size_t spaces = std::min(piece.find_first_not_of(' '), piece.size());
  return piece.substr(std::min(spaces, dropped_spaces_));
}

std::string Tokenizer::decode(std::span<const Token> tokens, bool show_special) const {
  Detokenizer stream(*this, show_special);
  std::string text;
  for (const Token token : tokens) text += stream.push(token);
  return text + stream.flush();
}

Token Tokenizer::special(std::string_view written) const {
  const auto match = written_.find(written, 0);
  return match && match->begin == 0 && match->length == written.size() ? match->token : -1;
}

}  // namespace outrider::text

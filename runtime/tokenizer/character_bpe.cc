#include "runtime/tokenizer/character_bpe.h"

#include <fmt/core.h>

#include <cstdint>

#include "runtime/base/error.h"
#include "runtime/tokenizer/byte_token.h"
#include "runtime/tokenizer/metaspace.h"
#include "runtime/tokenizer/normaliser.h"
#include "runtime/tokenizer/utf8.h"

namespace outrider::text {
namespace {

bool has_scores(const TokenizerSpec& spec) { return spec.model == "llama"; }

ScoreMerges merges_of(const TokenizerSpec& spec, const BpeVocabulary& vocabulary) {
  if (has_scores(spec)) return score_merges(spec, vocabulary);
  return {ranked_merges(spec, vocabulary), {}};
}

void check_byte_tokens(const TokenizerSpec& spec) {
  for (std::size_t i = 0; i < spec.tokens.size(); ++i) {
    if (spec.kinds[i] != TokenKind::kByte || byte_of_token(spec.tokens[i])) continue;
    throw InputError(fmt::format(
        "token {} ('{}') is of kind 'byte'; expected it to be stored as <0x00> to <0xFF>", i,
        spec.tokens[i]));
  }
}

}  // namespace

CharacterBpe::CharacterBpe(const TokenizerSpec& spec, const BpeVocabulary& vocabulary)
    : merges_(merges_of(spec, vocabulary)),
      metaspace_(spec.metaspace),
      byte_fallback_(spec.byte_fallback || has_scores(spec)),
      unknown_(spec.unknown),
      fuse_unknown_(spec.fuse_unknown),
      vocab_(static_cast<Token>(spec.tokens.size())) {
  check_byte_tokens(spec);
  for (std::size_t byte = 0; byte < byte_tokens_.size(); ++byte) {
    const auto found = vocabulary.find(byte_token(static_cast<std::uint8_t>(byte)));
    byte_tokens_[byte] = found == vocabulary.end() ? -1 : found->second;
    if (byte_tokens_[byte] < 0 && has_scores(spec)) {
      throw InputError(fmt::format("the tokenizer has no token for byte {0}; expected '{1}'", byte,
                                   byte_token(static_cast<std::uint8_t>(byte))));
    }
  }
  for (const auto& [stored, token] : vocabulary) {
    if (stored.empty()) continue;
    const Utf8Step step = read_utf8(stored);
    if (step.length == stored.size()) symbols_.emplace(step.code_point, token);
  }
  for (const std::string& character : merges_.characters) {
    symbols_.emplace(read_utf8(character).code_point,
                     vocab_ + static_cast<Token>(&character - merges_.characters.data()));
  }
}

void CharacterBpe::encode(std::string_view text, bool first, std::vector<Token>& tokens) const {
  const std::size_t begin = tokens.size();
  BytePairMerger merger(merges_.table);
  if (metaspace_) {
    const std::string marked = mark_spaces(text, *metaspace_, first);
    std::vector<std::string_view> words;
    if (metaspace_->split) {
      split_at_marks(marked, words);
    } else {
      words.push_back(marked);
    }
    for (const std::string_view word : words) encode_word(word, merger, tokens);
  } else {
    encode_word(text, merger, tokens);
  }
  if (!merges_.characters.empty()) spell_out(begin, tokens);
}

void CharacterBpe::encode_word(std::string_view word, BytePairMerger& merger,
                               std::vector<Token>& tokens) const {
  merger.begin();
  bool unknown_pending = false;  // for following unknown tokens to be fused with it
  while (!word.empty()) {
    const Utf8Step step = read_utf8(word);
    const auto symbol = symbols_.find(step.code_point);
    if (symbol != symbols_.end()) {
      if (unknown_pending) merger.add(unknown_);
      unknown_pending = false;
      merger.add(symbol->second);
    } else if (byte_fallback_ && add_bytes(word.substr(0, step.length), merger)) {
      // A pending unknown token stays pending, as in Hugging Face.
    } else if (unknown_ >= 0) {
      if (unknown_pending && !fuse_unknown_) merger.add(unknown_);
      unknown_pending = true;
    }
    word.remove_prefix(step.length);
  }
  if (unknown_pending) merger.add(unknown_);
  merger.finish(tokens);
}

bool CharacterBpe::add_bytes(std::string_view character, BytePairMerger& merger) const {
  for (const char byte : character) {
    if (byte_tokens_[static_cast<std::uint8_t>(byte)] < 0) return false;
  }
  for (const char byte : character) merger.add(byte_tokens_[static_cast<std::uint8_t>(byte)]);
  return true;
}

void CharacterBpe::spell_out(std::size_t begin, std::vector<Token>& tokens) const {
  const std::vector<Token> merged(tokens.begin() + static_cast<std::ptrdiff_t>(begin),
                                  tokens.end());
  tokens.resize(begin);
  for (const Token symbol : merged) {
    if (symbol < vocab_) {
      tokens.push_back(symbol);
      continue;
    }
    for (const char byte : merges_.characters[static_cast<std::size_t>(symbol - vocab_)]) {
      tokens.push_back(byte_tokens_[static_cast<std::uint8_t>(byte)]);
    }
  }
}

std::string CharacterBpe::bytes(std::string_view stored, TokenKind kind) const {
  if (kind == TokenKind::kByte) return std::string(1, static_cast<char>(*byte_of_token(stored)));
  return replace_all(stored, kSpaceMark, " ");
}

}  // namespace outrider::text

#include "runtime/tokenizer/byte_level_bpe.h"

#include <fmt/core.h>

#include <cstdint>

#include "runtime/base/error.h"
#include "runtime/tokenizer/byte_alphabet.h"
#include "runtime/tokenizer/byte_pair_merger.h"

namespace outrider::text {
namespace {

void refuse_byte_tokens(const TokenizerSpec& spec) {
  for (std::size_t i = 0; i < spec.tokens.size(); ++i) {
    if (spec.kinds[i] != TokenKind::kByte) continue;
    throw InputError(
        fmt::format("token {} ('{}') is of kind 'byte', which a gpt2 vocabulary must not have", i,
                    spec.tokens[i]));
  }
}

}  // namespace

ByteLevelBpe::ByteLevelBpe(const TokenizerSpec& spec, const BpeVocabulary& vocabulary)
    : pre_tokenizer_(make_pre_tokenizer(named_pre_tokenizer(spec.pre).pattern)),
      merges_(ranked_merges(spec, vocabulary)) {
  refuse_byte_tokens(spec);
  for (std::size_t byte = 0; byte < byte_tokens_.size(); ++byte) {
    const auto found = vocabulary.find(to_byte_alphabet(std::string(1, static_cast<char>(byte))));
    byte_tokens_[byte] = found == vocabulary.end() ? -1 : found->second;
  }
  if (spec.ignore_merges) {
    for (const auto& [word, token] : vocabulary) whole_words_.emplace(word, token);
  }
}

void ByteLevelBpe::encode(std::string_view text, bool /*first*/, std::vector<Token>& tokens) const {
  std::vector<std::string_view> words;
  pre_tokenizer_->split(text, words);
  BytePairMerger merger(merges_);
  for (const std::string_view word : words) {
    if (!whole_words_.empty()) {
      const auto whole = whole_words_.find(to_byte_alphabet(word));
      if (whole != whole_words_.end()) {
        tokens.push_back(whole->second);
        continue;
      }
    }
    merger.begin();
    for (const char c : word) {
      const Token token = byte_tokens_[static_cast<std::uint8_t>(c)];
      if (token >= 0) merger.add(token);
    }
    merger.finish(tokens);
  }
}

std::string ByteLevelBpe::bytes(std::string_view stored, TokenKind kind) const {
  const bool literal =
      kind == TokenKind::kControl || kind == TokenKind::kUnknown || kind == TokenKind::kUserDefined;
  return literal ? std::string(stored) : from_byte_alphabet(stored);
}

}  // namespace outrider::text

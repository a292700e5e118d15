#include "runtime/text/byte_level_bpe.h"

#include <fmt/core.h>

#include <cstdint>
#include <unordered_map>

#include "runtime/base/error.h"
#include "runtime/text/byte_alphabet.h"
#include "runtime/text/byte_pair_merger.h"

namespace outrider::text {
namespace {

using Vocabulary = std::unordered_map<std::string_view, Token>;

Vocabulary index_tokens(const TokenizerSpec& spec) {
  Vocabulary vocabulary;
  vocabulary.reserve(spec.tokens.size());
  for (std::size_t i = 0; i < spec.tokens.size(); ++i) {
    const auto token = static_cast<Token>(i);
    if (spec.kinds[i] == TokenKind::kByte) {
      throw InputError(fmt::format(
          "token {} ('{}') is of kind 'byte', which a gpt2 vocabulary has not", i, spec.tokens[i]));
    }
    const auto [known, added] = vocabulary.emplace(spec.tokens[i], token);
    if (!added) {
      throw InputError(
          fmt::format("tokens {} and {} are both '{}'", known->second, i, spec.tokens[i]));
    }
  }
  return vocabulary;
}

void add_merge(const TokenizerSpec& spec, const Vocabulary& vocabulary, std::size_t rank,
               MergeTable& merges) {
  const std::string& left = spec.merges[rank].first;
  const std::string& right = spec.merges[rank].second;
  const auto id_of = [&](const std::string& token) {
    const auto found = vocabulary.find(token);
    if (found == vocabulary.end()) {
      throw InputError(fmt::format("merge {} ('{}' + '{}'): '{}' is not in the vocabulary", rank,
                                   left, right, token));
    }
    return found->second;
  };
  const Merge merge{static_cast<std::int32_t>(rank), id_of(left + right)};
  if (!merges.add(id_of(left), id_of(right), merge)) {
    throw InputError(fmt::format("merge {} ('{}' + '{}') is there twice", rank, left, right));
  }
}

}  // namespace

ByteLevelBpe::ByteLevelBpe(const TokenizerSpec& spec)
    : pre_tokenizer_(make_pre_tokenizer(spec.pre)), merges_(spec.merges.size()) {
  const Vocabulary vocabulary = index_tokens(spec);
  for (std::size_t byte = 0; byte < byte_tokens_.size(); ++byte) {
    const auto found = vocabulary.find(to_byte_alphabet(std::string(1, static_cast<char>(byte))));
    byte_tokens_[byte] = found == vocabulary.end() ? -1 : found->second;
  }
  for (std::size_t rank = 0; rank < spec.merges.size(); ++rank) {
    add_merge(spec, vocabulary, rank, merges_);
  }
  if (spec.ignore_merges) {
    for (const auto& [word, token] : vocabulary) whole_words_.emplace(word, token);
  }
}

void ByteLevelBpe::encode(std::string_view text, std::vector<Token>& tokens) const {
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

std::string ByteLevelBpe::bytes(std::string_view stored) const {
  return from_byte_alphabet(stored);
}

}  // namespace outrider::text

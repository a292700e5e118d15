#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime/tokenizer/bpe_vocabulary.h"
#include "runtime/tokenizer/byte_pair_merger.h"
#include "runtime/tokenizer/score_merges.h"
#include "runtime/tokenizer/tokenizer_model.h"

namespace outrider::text {

/// SentencePiece's BPE and Hugging Face's version of it: characters are merged, by scores or by ranked
/// merges, within words that may be whole texts. A character that is not a token falls back to the
/// tokens of its bytes, or to the unknown token.
class CharacterBpe : public TokenizerModel {
 public:
  /// @throws InputError as `score_merges` and `ranked_merges`; for a token of kind byte that is not
  ///         stored as one; with scores: for a byte without a token
  explicit CharacterBpe(const TokenizerSpec& spec) : CharacterBpe(spec, index_tokens(spec)) {}

  void encode(std::string_view text, bool first, std::vector<Token>& tokens) const override;
  std::string bytes(std::string_view stored, TokenKind kind) const override;

 private:
  CharacterBpe(const TokenizerSpec& spec, const BpeVocabulary& vocabulary);

  void encode_word(std::string_view word, BytePairMerger& merger, std::vector<Token>& tokens) const;
  /// Adds the tokens of a character's bytes.
  /// @return false, and adds nothing, if a byte has no token
  bool add_bytes(std::string_view character, BytePairMerger& merger) const;
  /// Replaces symbols from `begin` on that are characters without a token by the tokens of their bytes.
  void spell_out(std::size_t begin, std::vector<Token>& tokens) const;

  ScoreMerges merges_;  // also of ranked merges
  std::optional<Metaspace> metaspace_;
  bool byte_fallback_;
  Token unknown_;
  bool fuse_unknown_;
  Token vocab_;
  std::array<Token, 256> byte_tokens_;           // -1: none
  std::unordered_map<char32_t, Token> symbols_;  // tokens of one character
};

}  // namespace outrider::text

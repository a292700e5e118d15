#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime/tokenizer/bpe_vocabulary.h"
#include "runtime/tokenizer/merge_table.h"
#include "runtime/tokenizer/pre_tokenizer.h"
#include "runtime/tokenizer/tokenizer_model.h"

namespace outrider::text {

/// GPT-2's tokenizer: words by a pre-tokenizer, then byte-pair merges over their bytes. A byte that is
/// not in the vocabulary is dropped, as in Hugging Face (SmolLM2 lacks six control characters
/// and the lead bytes of planes 4 to 11, which are unassigned).
class ByteLevelBpe : public TokenizerModel {
 public:
  /// @throws InputError for an unknown pre-tokenizer; a merge of, or into, a string that is not a
  ///         token; a duplicate pair; a token of kind byte
  explicit ByteLevelBpe(const TokenizerSpec& spec) : ByteLevelBpe(spec, index_tokens(spec)) {}

  void encode(std::string_view text, bool first, std::vector<Token>& tokens) const override;
  std::string bytes(std::string_view stored, TokenKind kind) const override;

 private:
  ByteLevelBpe(const TokenizerSpec& spec, const BpeVocabulary& vocabulary);

  std::unique_ptr<PreTokenizer> pre_tokenizer_;
  std::array<Token, 256> byte_tokens_;  // -1: not in the vocabulary
  MergeTable merges_;
  std::unordered_map<std::string, Token> whole_words_;  // in the byte alphabet; see ignore_merges
};

}  // namespace outrider::text

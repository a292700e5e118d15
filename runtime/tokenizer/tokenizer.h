#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/tokenizer/normaliser.h"
#include "runtime/tokenizer/prompt_text.h"
#include "runtime/tokenizer/special_tokens.h"
#include "runtime/tokenizer/tokenizer_model.h"
#include "runtime/tokenizer/tokenizer_spec.h"

namespace outrider::text {

/// Text to tokens and back, as Hugging Face `tokenizers` for the same vocabulary. Built once from a model
/// file's specification; may be used by several threads.
class Tokenizer {
 public:
  /// @throws InputError naming what is unknown, missing or contradictory in the specification
  explicit Tokenizer(const TokenizerSpec& spec);

  /// The tokens of a text, without `start()`. With `parse_special`, control tokens written out in
  /// the text (`<|im_end|>`) become those tokens, else they are ordinary text. User-defined tokens are
  /// always recognised.
  /// @throws InputError naming the offset of the first byte that is not UTF-8; for over 1 GiB of text
  std::vector<Token> encode(std::string_view text, bool parse_special) const;

  /// The tokens of a prompt: control tokens are recognised in its markup but not in its literals.
  std::vector<Token> encode(const PromptText& text) const;

  /// The tokens of a text that starts a sequence: `start()`, unless the text begins with it already, then
  /// the text's own.
  std::vector<Token> encode_opening(const PromptText& text) const;

  /// The raw bytes of one token, possibly part of a UTF-8 character; empty for a control token unless
  /// `show_special`. At the start of a text they are `opening(piece)` instead.
  /// @throws InputError for an id outside the vocabulary
  const std::string& piece(Token token, bool show_special = false) const;

  /// The first piece of a text that is not empty, without the space that encoding adds before a text.
  std::string_view opening(std::string_view piece) const;

  /// The text of the tokens as valid UTF-8; invalid bytes become U+FFFD.
  /// @throws InputError for an id outside the vocabulary
  std::string decode(std::span<const Token> tokens, bool show_special = false) const;

  /// The number of tokens; ids are 0 to `vocab() - 1`.
  int vocab() const { return static_cast<int>(pieces_.size()); }

  /// The tokens before every text: the beginning-of-text token if the model uses one, else none.
  const std::vector<Token>& start() const { return start_; }

  /// The special token with this text (`<|im_end|>`), or -1.
  Token special(std::string_view written) const;

 private:
  /// The special tokens that are found in a text before it is normalised, and after.
  struct SpecialPair {
    SpecialTokens before;
    SpecialTokens after;
  };
  static SpecialPair special_pair(const TokenizerSpec& spec, bool control,
                                  const Normaliser& normaliser);
  std::vector<Token> encode_around(const SpecialPair& special, std::string_view text,
                                   std::span<const TextSpan> literals) const;
  /// The literals in a part of a text, as offsets in the normalised part.
  std::vector<TextSpan> literals_in_normal_form(std::string_view part, std::size_t begin,
                                                std::span<const TextSpan> literals) const;

  std::unique_ptr<const TokenizerModel> model_;
  Normaliser normaliser_;
  SpecialTokens written_;  // as stored
  SpecialPair all_special_;
  SpecialPair user_defined_;
  std::size_t dropped_spaces_;
  std::vector<std::string> pieces_;  // [vocab] raw bytes
  std::vector<bool> hidden_;         // [vocab] control tokens
  std::vector<Token> start_;
};

}  // namespace outrider::text

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

/// Text to tokens and back, as Hugging Face `tokenizers` does it for the same vocabulary. Built once
/// from a model file's description; may be used by several threads.
class Tokenizer {
 public:
  /// @throws InputError naming what is unknown, missing or contradictory in the description
  explicit Tokenizer(const TokenizerSpec& spec);

  /// The tokens of a text, without `start()`. With `parse_special`, control tokens written out in
  /// the text (`<|im_end|>`) become those tokens; without, they are ordinary text. User-defined
  /// tokens always count.
  /// @throws InputError naming the offset of the first byte that is not UTF-8; over 1 GiB of text
  std::vector<Token> encode(std::string_view text, bool parse_special) const;

  /// The same, with control tokens parsed in the marks of the text and not in what is said in it.
  std::vector<Token> encode(const PromptText& text) const;

  /// All the tokens of a text that begins here: `start()`, unless the text writes it out itself, and
  /// the text's own.
  std::vector<Token> encode_opening(const PromptText& text) const;

  /// The raw bytes of one token, perhaps part of a UTF-8 character. Those of a control token are
  /// empty unless asked for. A text that begins with them begins with `opening(piece)`.
  /// @throws InputError if there is no such token
  const std::string& piece(Token token, bool show_special = false) const;

  /// What is left of the first piece of a text that is not empty: without the space that encoding
  /// puts before a text.
  std::string_view opening(std::string_view piece) const;

  /// The text of the tokens as valid UTF-8; bytes that make no character become U+FFFD.
  /// @throws InputError if there is no such token
  std::string decode(std::span<const Token> tokens, bool show_special = false) const;

  /// The number of tokens; ids are 0 to `vocab() - 1`.
  int vocab() const { return static_cast<int>(pieces_.size()); }

  /// What stands before every text: the beginning-of-text token if the model asks for one, or nothing.
  const std::vector<Token>& start() const { return start_; }

  /// Whether the model ends a text with this token.
  bool is_end(Token token) const;

  /// The token written out so in text (`<|im_end|>`), or -1 if no special one is.
  Token special(std::string_view written) const;

 private:
  /// The tokens that are taken out of a text before it is normalised, and after.
  struct TakenOut {
    SpecialTokens before;
    SpecialTokens after;
  };
  static TakenOut taken_out(const TokenizerSpec& spec, bool control, const Normaliser& normaliser);
  std::vector<Token> encode_around(const TakenOut& special, std::string_view text,
                                   std::span<const TextSpan> said) const;
  /// What is said in a part of a text, by its place in the normalised part.
  std::vector<TextSpan> said_in_normal_form(std::string_view part, std::size_t begin,
                                            std::span<const TextSpan> said) const;

  std::unique_ptr<const TokenizerModel> model_;
  Normaliser normaliser_;
  SpecialTokens written_;  // as they are stored
  TakenOut all_special_;
  TakenOut user_defined_;
  std::size_t dropped_spaces_;
  std::vector<std::string> pieces_;  // [vocab] raw bytes
  std::vector<bool> hidden_;         // [vocab] control tokens
  std::vector<Token> start_;
  std::vector<Token> end_tokens_;
};

}  // namespace outrider::text

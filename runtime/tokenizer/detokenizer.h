#pragma once

#include <string>
#include <string_view>

#include "runtime/base/token.h"
#include "runtime/tokenizer/tokenizer.h"
#include "runtime/tokenizer/utf8.h"

namespace outrider::text {

/// Turns a stream of tokens into text as it arrives. Never gives half a UTF-8 character: bytes wait
/// for the tokens that complete them. All it gives, `flush()` included, is `Tokenizer::decode` of all
/// the tokens.
class Detokenizer {
 public:
  /// Keeps a reference to the tokenizer.
  explicit Detokenizer(const Tokenizer& tokenizer, bool show_special = false)
      : tokenizer_(tokenizer), show_special_(show_special) {}

  /// The text that is certain after this token; may be empty.
  /// @throws InputError if there is no such token
  std::string push(Token token) {
    const std::string_view piece = tokenizer_.piece(token, show_special_);
    if (!opened_ && !piece.empty()) {
      opened_ = true;
      return stream_.push(tokenizer_.opening(piece));
    }
    return stream_.push(piece);
  }

  /// The end: U+FFFD for bytes that were never completed.
  std::string flush() { return stream_.flush(); }

 private:
  const Tokenizer& tokenizer_;
  bool show_special_;
  bool opened_ = false;  // a piece that is not empty has come
  Utf8Stream stream_;
};

}  // namespace outrider::text

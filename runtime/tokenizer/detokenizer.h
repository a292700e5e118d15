#pragma once

#include <string>
#include <string_view>

#include "runtime/base/token.h"
#include "runtime/tokenizer/tokenizer.h"
#include "runtime/tokenizer/utf8.h"

namespace outrider::text {

/// Turns a stream of tokens into text incrementally. Never returns part of a UTF-8 character: bytes are
/// held until they are complete. All returned texts together, `flush()` included, are
/// `Tokenizer::decode` of all tokens.
class Detokenizer {
 public:
  /// Keeps a reference to the tokenizer.
  explicit Detokenizer(const Tokenizer& tokenizer, bool show_special = false)
      : tokenizer_(tokenizer), show_special_(show_special) {}

  /// The text that is final after this token; may be empty.
  /// @throws InputError for an id outside the vocabulary
  std::string push(Token token) {
    const std::string_view piece = tokenizer_.piece(token, show_special_);
    if (!opened_ && !piece.empty()) {
      opened_ = true;
      return stream_.push(tokenizer_.opening(piece));
    }
    return stream_.push(piece);
  }

  /// Ends the stream: U+FFFD for incomplete bytes.
  std::string flush() { return stream_.flush(); }

 private:
  const Tokenizer& tokenizer_;
  bool show_special_;
  bool opened_ = false;  // a piece that is not empty has been pushed
  Utf8Stream stream_;
};

}  // namespace outrider::text

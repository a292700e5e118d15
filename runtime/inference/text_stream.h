#pragma once

#include <string>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/tokenizer/detokenizer.h"
#include "runtime/tokenizer/stop_strings.h"

namespace outrider::inference {

/// The text of one answer during generation: whole characters, ending before the first stop string.
class TextStream {
 public:
  TextStream(const text::Tokenizer& tokenizer, const std::vector<std::string>& stops)
      : detokenizer_(tokenizer), stops_(stops) {}

  /// @return false once a stop string is complete
  bool push(Token token);
  /// Ends the text: adds the characters held back.
  void finish();

  const std::string& text() const { return text_; }
  /// Bytes of the text of all tokens so far, including those held back or cut by a stop string.
  std::size_t made() const { return made_; }

 private:
  text::Detokenizer detokenizer_;
  text::StopStrings stops_;
  std::string text_;
  std::size_t made_ = 0;
};

}  // namespace outrider::inference

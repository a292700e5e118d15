#pragma once

#include <string>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/tokenizer/detokenizer.h"
#include "runtime/tokenizer/stop_strings.h"

namespace outrider {

/// The text of one answer as its tokens arrive: whole characters, cut before the first stop string.
class TextStream {
 public:
  /// @param shown  whether the text goes to standard output while it is made
  TextStream(const text::Tokenizer& tokenizer, const std::vector<std::string>& stops, bool shown);

  /// @return false once a stop string is complete
  bool push(Token token);
  /// The end: what was held back comes out, and a line end if the text was shown without one.
  void finish();

  const std::string& text() const { return text_; }
  /// Bytes of text that the tokens so far make; those may be held back, or cut by a stop string.
  std::size_t made() const { return made_; }

 private:
  void add(const std::string& part);

  text::Detokenizer detokenizer_;
  text::StopStrings stops_;
  bool shown_;
  std::string text_;
  std::size_t made_ = 0;
};

}  // namespace outrider

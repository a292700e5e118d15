#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/decode/attribution.h"

namespace outrider {

/// An answer for a terminal, with what was copied from the prompt in colour, each span in the next of
/// six. Waits where it is not certain yet whether a token belongs to a span.
class ColouredText {
 public:
  /// Keeps a reference; `copied` knows every token before it is added here.
  explicit ColouredText(const decode::Attribution& copied) : copied_(copied) {}

  /// The answer's next token.
  /// @param made  bytes of text that the tokens so far make, also those not in `text` yet
  /// @param text  what may be shown of it, all from the beginning
  /// @return what to write now
  std::string add(std::size_t made, const std::string& text);
  /// The end: what was held back.
  std::string rest(const std::string& text);

 private:
  std::string up_to(int token, const std::string& text);
  void colour(int wanted, std::string& out);

  const decode::Attribution& copied_;
  std::vector<std::size_t> ends_;  // of the text of each token
  int token_ = 0;                  // the first whose text is not all shown
  std::size_t shown_ = 0;          // bytes of the text
  int colour_ = 0;                 // 0: none
};

}  // namespace outrider

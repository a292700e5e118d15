#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/decode/attribution.h"

namespace outrider {

/// An answer for a terminal with the copied spans in colour, cycling through six colours. Holds
/// text back until it is known whether a token belongs to a span.
class ColouredText {
 public:
  /// Keeps a reference; `copied` must know every token before it is added here.
  explicit ColouredText(const decode::Attribution& copied) : copied_(copied) {}

  /// Adds the answer's next token.
  /// @param made  bytes of the text of all tokens so far, including those not yet in `text`
  /// @param text  the displayable part of it, from the beginning
  /// @return the text to write now
  std::string add(std::size_t made, const std::string& text);
  /// Ends the answer: returns the text held back.
  std::string rest(const std::string& text);

 private:
  std::string up_to(int token, const std::string& text);
  void colour(int wanted, std::string& out);

  const decode::Attribution& copied_;
  std::vector<std::size_t> ends_;  // of the text of each token
  int token_ = 0;                  // the first whose text is not fully shown
  std::size_t shown_ = 0;          // bytes of the text
  int colour_ = 0;                 // 0: none
};

}  // namespace outrider

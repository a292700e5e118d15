#pragma once

#include <string>

namespace outrider {

/// A message as it is typed at a terminal, byte by byte. What is pasted arrives between marks of the terminal (bracketed
/// paste) and is part of the message with all its lines; a line end that is typed ends it.
class TypedMessage {
 public:
  /// Takes a byte. @return what to show for it
  std::string push(char byte);

  /// Whether Enter was typed.
  bool is_done() const { return done_; }
  /// Whether Ctrl-D was typed instead of a message.
  bool is_end() const { return end_; }
  /// Whether some of it was pasted: then it is no command.
  bool was_pasted() const { return pasted_; }
  const std::string& text() const { return text_; }

 private:
  std::string push_typed(char byte);
  std::string push_pasted(char byte);
  std::string push_escaped(char byte);
  /// Removes the last characters of the text, so that `length` bytes stay.
  std::string shorten(std::size_t length);

  std::string text_;
  std::string escape_;  // an escape sequence so far; empty: none
  bool pasting_ = false;
  bool pasted_ = false;
  bool after_return_ = false;  // the last byte pasted was a carriage return
  bool done_ = false;
  bool end_ = false;
};

}  // namespace outrider

#pragma once

#include <termios.h>

#include <optional>
#include <string>

namespace outrider {

/// A message that was read from a terminal.
struct ReadMessage {
  std::string text;
  bool was_pasted;  // in part: then it is no command
};

/// The terminal of a conversation. As long as this exists, the terminal hands over bytes as they are typed (its own line
/// buffer would cut lines at 4,095 bytes) and marks what is pasted.
class Terminal {
 public:
  Terminal();
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  /// Asks for a message and reads it. @return nothing at the end of input, and after an interrupt
  std::optional<ReadMessage> read();

 private:
  std::optional<char> next();

  std::optional<termios> before_;  // nothing: standard input was left as it was
  bool marks_;                     // the terminal marks what is pasted
  std::string typed_;              // bytes that were read, but not used yet
};

}  // namespace outrider

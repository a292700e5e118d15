#include "runtime/commands/terminal.h"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string_view>

#include "runtime/base/log.h"
#include "runtime/cli/interrupt.h"
#include "runtime/commands/typed_message.h"

namespace outrider {
namespace {

bool knows_marks() {
  const char* kind = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) != 0 && kind != nullptr && std::string_view(kind) != "dumb";
}

termios mode_before;  // of the terminal that is open, for a signal's handler

void restore_mode() { ::tcsetattr(STDIN_FILENO, TCSADRAIN, &mode_before); }

}  // namespace

Terminal::Terminal() : marks_(false) {
  termios mode = {};
  // What is typed is shown on standard error: where that is no terminal, the terminal shows it itself.
  if (::isatty(STDERR_FILENO) == 0 || ::tcgetattr(STDIN_FILENO, &mode) != 0) return;
  const termios before = mode;
  mode.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  mode.c_iflag &= ~static_cast<tcflag_t>(ICRNL | INLCR | IGNCR);
  mode.c_cc[VMIN] = 1;
  mode.c_cc[VTIME] = 0;
  mode_before = before;
  before_second_interrupt(restore_mode);
  if (::tcsetattr(STDIN_FILENO, TCSADRAIN, &mode) != 0) return;
  before_ = before;
  marks_ = knows_marks();
  if (marks_) write_log("\x1b[?2004h");
}

Terminal::~Terminal() {
  before_second_interrupt(nullptr);
  if (!before_) return;
  if (marks_) write_log("\x1b[?2004l");
  ::tcsetattr(STDIN_FILENO, TCSADRAIN, &*before_);
}

std::optional<ReadMessage> Terminal::read() {
  write_log("> ");
  TypedMessage message;
  while (!message.is_done()) {
    const std::optional<char> byte = next();
    if (byte) write_log(message.push(*byte));
    if (byte && !message.is_end()) continue;
    write_log("\n");
    if (byte || message.text().empty()) return std::nullopt;
    break;  // the input ended without a line end
  }
  return ReadMessage{message.text(), message.was_pasted()};
}

std::optional<char> Terminal::next() {
  if (typed_.empty()) {
    std::array<char, 4096> bytes;
    const ssize_t count = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    if (count <= 0) return std::nullopt;
    typed_.assign(bytes.data(), static_cast<std::size_t>(count));
  }
  const char byte = typed_.front();
  typed_.erase(0, 1);
  return byte;
}

}  // namespace outrider

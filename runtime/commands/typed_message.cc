#include "runtime/commands/typed_message.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace outrider {
namespace {

constexpr char kEscape = '\x1b';
constexpr std::string_view kPasteBegins = "\x1b[200~";
constexpr std::string_view kPasteEnds = "\x1b[201~";
constexpr std::size_t kLongestEscape = 32;  // bytes; what is longer is no key

constexpr char control(char letter) { return static_cast<char>(letter - 'A' + 1); }

bool is_continuation(char byte) { return (static_cast<std::uint8_t>(byte) & 0xC0) == 0x80; }

std::size_t without_last_character(std::string_view text) {
  std::size_t end = text.size();
  while (end > 0 && is_continuation(text[end - 1])) --end;
  return end > 0 ? end - 1 : 0;
}

std::size_t without_last_word(std::string_view text) {
  std::size_t end = text.size();
  while (end > 0 && (text[end - 1] == ' ' || text[end - 1] == '\n')) --end;
  while (end > 0 && text[end - 1] != ' ' && text[end - 1] != '\n') --end;
  return end;
}

/// Whether a byte ends an escape sequence that began as `so_far`, which is not empty.
bool ends_escape(std::string_view so_far, char byte) {
  if (so_far.size() == 1) return byte != '[' && byte != 'O';  // Alt and a key
  return so_far[1] == 'O' || (byte >= '@' && byte <= '~');
}

/// A byte as the terminal shows it: control characters, which would move the cursor, are not shown.
std::string shown(char byte) {
  const auto code = static_cast<std::uint8_t>(byte);
  return code >= 0x20 && code != 0x7F ? std::string(1, byte) : byte == '\t' ? " " : "";
}

}  // namespace

std::string TypedMessage::push(char byte) {
  if (pasting_) return push_pasted(byte);
  if (!escape_.empty()) return push_escaped(byte);
  return push_typed(byte);
}

std::string TypedMessage::push_typed(char byte) {
  switch (byte) {
    case kEscape:
      escape_ = byte;
      return {};
    case '\r':
    case '\n':
      done_ = true;
      return "\n";
    case control('D'):
      end_ = text_.empty();
      return {};
    case '\b':
    case '\x7f':
      return shorten(without_last_character(text_));
    case control('U'):
      return shorten(0);
    case control('W'):
      return shorten(without_last_word(text_));
    default:
      break;
  }
  const std::string echo = shown(byte);
  if (!echo.empty()) text_ += byte;
  return echo;
}

std::string TypedMessage::push_escaped(char byte) {
  const bool ends = ends_escape(escape_, byte) || escape_.size() == kLongestEscape;
  escape_ += byte;
  if (!ends) return {};
  pasting_ = escape_ == kPasteBegins;
  pasted_ = pasted_ || pasting_;
  escape_.clear();
  after_return_ = false;
  return {};
}

std::string TypedMessage::push_pasted(char byte) {
  // A terminal sends line ends as carriage returns, or as they were copied.
  const bool second_of_two = after_return_ && byte == '\n';
  after_return_ = byte == '\r';
  if (second_of_two) return {};
  text_ += byte == '\r' ? '\n' : byte;
  if (byte == '~' && text_.ends_with(kPasteEnds)) {
    text_.resize(text_.size() - kPasteEnds.size());
    pasting_ = false;
    return {};
  }
  // The end mark is not shown: its first byte is a control character, and its others come right after.
  const std::size_t tail = std::min(text_.size(), kPasteEnds.size() - 1);
  for (std::size_t length = tail; length > 0; --length)
    if (text_.ends_with(kPasteEnds.substr(0, length))) return {};
  return text_.back() == '\n' ? "\n" : shown(byte);
}

std::string TypedMessage::shorten(std::size_t length) {
  if (length == text_.size()) return {};
  const std::string_view removed = std::string_view(text_).substr(length);
  const bool plain = std::all_of(removed.begin(), removed.end(), [](char c) {
    return c >= ' ' && c < '\x7f';  // of one column each
  });
  std::string echo;
  if (plain) {
    for (std::size_t i = 0; i < removed.size(); ++i) echo += "\b \b";
    text_.resize(length);
    return echo;
  }
  text_.resize(length);
  echo = "\n> ";
  for (const char byte : text_) echo += byte == '\n' ? "\n" : shown(byte);
  return echo;
}

}  // namespace outrider

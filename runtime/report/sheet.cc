#include "runtime/report/sheet.h"

#include <fmt/core.h>

namespace outrider::report {

std::string grouped(std::int64_t number) {
  const std::string digits = std::to_string(number);
  const std::size_t first_digit = number < 0 ? 1 : 0;
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > first_digit && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string printable(std::string_view text) {
  std::string safe;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if ((byte < 0x20 && letter != '\n') || byte == 0x7F) {
      safe += fmt::format("\\x{:02x}", byte);
    } else {
      safe += letter;
    }
  }
  return safe;
}

void Sheet::add(std::string_view name, std::string_view value) {
  text_ += fmt::format("{:<14} ", name);
  for (const char letter : value) {
    text_ += letter;
    if (letter == '\n') text_.append(15, ' ');
  }
  text_ += '\n';
}

}  // namespace outrider::report

#include "runtime/tokenizer/utf8.h"

namespace outrider::text {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

struct Lead {
  std::size_t length;  // of the character; 0: not a lead byte
  std::uint8_t bits;   // of the code point in the lead byte
  std::uint8_t low;    // the second byte must be in [low, high]
  std::uint8_t high;
};

Lead lead_of(std::uint8_t byte) {
  const auto bits = [byte](int mask) { return static_cast<std::uint8_t>(byte & mask); };
  if (byte < 0x80) return {1, byte, 0, 0};
  if (byte < 0xC2) return {0, 0, 0, 0};
  if (byte < 0xE0) return {2, bits(0x1F), 0x80, 0xBF};
  if (byte == 0xE0) return {3, bits(0x0F), 0xA0, 0xBF};  // below: overlong
  if (byte == 0xED) return {3, bits(0x0F), 0x80, 0x9F};  // above: surrogates
  if (byte < 0xF0) return {3, bits(0x0F), 0x80, 0xBF};
  if (byte == 0xF0) return {4, bits(0x07), 0x90, 0xBF};  // below: overlong
  if (byte < 0xF4) return {4, bits(0x07), 0x80, 0xBF};
  if (byte == 0xF4) return {4, bits(0x07), 0x80, 0x8F};  // above: past U+10FFFF
  return {0, 0, 0, 0};
}

}  // namespace

void append_utf8(char32_t code_point, std::string& text) {
  const auto byte = [&](char32_t value) { text += static_cast<char>(value); };
  const auto more = [&](int shift) { byte(0x80 | ((code_point >> shift) & 0x3F)); };
  if (code_point < 0x80) {
    byte(code_point);
  } else if (code_point < 0x800) {
    byte(0xC0 | (code_point >> 6));
    more(0);
  } else if (code_point < 0x10000) {
    byte(0xE0 | (code_point >> 12));
    more(6);
    more(0);
  } else {
    byte(0xF0 | (code_point >> 18));
    more(12);
    more(6);
    more(0);
  }
}

Utf8Step read_utf8(std::string_view text) {
  Lead lead = lead_of(static_cast<std::uint8_t>(text[0]));
  if (lead.length == 0) return {Utf8Status::kInvalid, 0, 1};
  char32_t code_point = lead.bits;
  for (std::size_t i = 1; i < lead.length; ++i) {
    if (i == text.size()) return {Utf8Status::kIncomplete, 0, i};
    const auto byte = static_cast<std::uint8_t>(text[i]);
    if (byte < lead.low || byte > lead.high) return {Utf8Status::kInvalid, 0, i};
    code_point = (code_point << 6) | (byte & 0x3FU);
    lead.low = 0x80;
    lead.high = 0xBF;
  }
  return {Utf8Status::kCharacter, code_point, lead.length};
}

std::optional<std::size_t> find_invalid_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const Utf8Step step = read_utf8(text.substr(i));
    if (step.status != Utf8Status::kCharacter) return i;
    i += step.length;
  }
  return std::nullopt;
}

std::string Utf8Stream::push(std::string_view bytes) {
  pending_ += bytes;
  std::string text;
  std::size_t i = 0;
  while (i < pending_.size()) {
    const std::string_view rest = std::string_view(pending_).substr(i);
    const Utf8Step step = read_utf8(rest);
    if (step.status == Utf8Status::kIncomplete) break;
    text += step.status == Utf8Status::kCharacter ? rest.substr(0, step.length) : kReplacement;
    i += step.length;
  }
  pending_.erase(0, i);
  return text;
}

std::string Utf8Stream::flush() {
  const bool broken = !pending_.empty();
  pending_.clear();
  return broken ? std::string(kReplacement) : std::string();
}

}  // namespace outrider::text

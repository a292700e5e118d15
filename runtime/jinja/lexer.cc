#include "runtime/jinja/lexer.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "runtime/jinja/mistake.h"
#include "runtime/jinja/python_characters.h"
#include "runtime/tokenizer/strip.h"
#include "runtime/tokenizer/utf8.h"

namespace outrider::jinja {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
/// Letters outside of ASCII begin names too.
bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  std::vector<Token> run() {
    while (at_ < source_.size()) {
      if (!data()) break;
    }
    add(Token::Kind::kEnd, "", source_.size());
    return std::move(tokens_);
  }

 private:
  [[noreturn]] static void fail(const std::string& what, std::size_t at) {
    throw Mistake(what, at);
  }

  std::string_view rest() const { return source_.substr(at_); }
  bool next_is(std::string_view text) const { return rest().starts_with(text); }

  void add(Token::Kind kind, std::string value, std::size_t at) {
    tokens_.push_back({kind, std::move(value), at});
  }
  void add_data(std::string_view text, std::size_t at) {
    if (!text.empty()) add(Token::Kind::kData, std::string(text), at);
  }

  void skip_blanks() {
    while (at_ < source_.size() && is_blank(source_[at_])) ++at_;
  }
  void skip_line_end() {
    if (next_is("\n")) ++at_;
  }

  std::size_t next_tag() const {
    std::size_t tag = at_;
    while ((tag = source_.find('{', tag)) != source_.npos) {
      if (tag + 1 < source_.size() &&
          std::string_view("{%#").find(source_[tag + 1]) != std::string_view::npos)
        return tag;
      ++tag;
    }
    return source_.size();
  }

  /// The text before a tag without the white space that its sign removes; the sign is skipped.
  std::string_view before_tag(std::string_view text, bool is_block) {
    const char sign = at_ < source_.size() ? source_[at_] : ' ';
    const bool has_sign = sign == '-' || (sign == '+' && is_block);
    if (has_sign) ++at_;
    if (sign == '-') return text::strip_end(text);
    if (has_sign || !is_block) return text;
    const std::size_t line = text.rfind('\n') + 1;  // 0 where there is none
    const std::string_view indent = text.substr(line);
    return (line > 0 || at_line_start_) && text::strip(indent).empty() ? text.substr(0, line)
                                                                       : text;
  }

  /// Text up to the next tag, and the tag. False at the end of the source.
  bool data() {
    const std::size_t begin = at_;
    const std::size_t tag = next_tag();
    const std::string_view text = source_.substr(begin, tag - begin);
    if (tag == source_.size()) {
      add_data(text, begin);
      return false;
    }
    const char kind = source_[tag + 1];
    at_ = tag + 2;
    add_data(before_tag(text, kind != '{'), begin);
    if (kind == '#') {
      comment(tag);
    } else if (kind == '{') {
      add(Token::Kind::kVariableBegin, "", tag);
      inside_tag("}}", Token::Kind::kVariableEnd, tag);
    } else if (!raw(tag)) {
      add(Token::Kind::kBlockBegin, "", tag);
      inside_tag("%}", Token::Kind::kBlockEnd, tag);
    }
    at_line_start_ = at_ > 0 && source_[at_ - 1] == '\n';
    return true;
  }

  void comment(std::size_t tag) {
    const std::size_t end = source_.find("#}", at_);
    if (end == source_.npos) fail("a comment has no end: expected #}", tag);
    const char sign = end > at_ ? source_[end - 1] : ' ';
    at_ = end + 2;
    if (sign == '-') skip_blanks();
    if (sign != '-' && sign != '+') skip_line_end();
  }

  /// Skips the end of a block if it is here.
  bool block_end() {
    if (next_is("-%}")) {
      at_ += 3;
      skip_blanks();
    } else if (next_is("+%}")) {
      at_ += 3;
    } else if (next_is("%}")) {
      at_ += 2;
      skip_line_end();
    } else {
      return false;
    }
    return true;
  }

  /// A raw block, whose text is written as it is. False where it is another block.
  bool raw(std::size_t tag) {
    const std::size_t back = at_;
    skip_blanks();
    if (next_is("raw")) {
      at_ += 3;
      skip_blanks();
      const bool strips = next_is("-%}");
      if (strips) ++at_;
      if (next_is("%}")) {
        at_ += 2;
        if (strips) skip_blanks();
        raw_text(tag);
        return true;
      }
    }
    at_ = back;
    return false;
  }

  void raw_text(std::size_t tag) {
    const std::size_t begin = at_;
    at_line_start_ = source_[at_ - 1] == '\n';
    for (std::size_t end = at_; (end = source_.find("{%", end)) != source_.npos; end += 2) {
      at_ = end + 2;
      const std::string_view text = before_tag(source_.substr(begin, end - begin), true);
      skip_blanks();
      if (!next_is("endraw")) continue;
      at_ += 6;
      skip_blanks();
      if (!block_end()) continue;
      add_data(text, begin);
      return;
    }
    fail("a raw block has no end: expected {% endraw %}", tag);
  }

  /// Tokens up to the end of the tag; inside brackets its mark does not end it.
  void inside_tag(std::string_view close, Token::Kind end, std::size_t tag) {
    std::vector<char> open;
    while (true) {
      skip_blanks();
      if (at_ >= source_.size()) fail(fmt::format("a tag has no end: expected {}", close), tag);
      const std::size_t at = at_;
      if (open.empty()) {
        if (end == Token::Kind::kBlockEnd ? block_end() : variable_end()) return add(end, "", at);
      }
      token(open);
    }
  }

  bool variable_end() {
    if (next_is("-}}")) {
      at_ += 3;
      skip_blanks();
    } else if (next_is("}}")) {
      at_ += 2;
    } else {
      return false;
    }
    return true;
  }

  void token(std::vector<char>& open) {
    const std::size_t at = at_;
    const char c = source_[at_];
    if (c == '\'' || c == '"') return string(c);
    if (is_digit(c)) return number();
    if (begins_name(c)) {
      while (at_ < source_.size() && (begins_name(source_[at_]) || is_digit(source_[at_]))) ++at_;
      return add(Token::Kind::kName, std::string(source_.substr(at, at_ - at)), at);
    }
    static constexpr std::array<std::string_view, 26> kOperators = {
        "//", "**", "==", "!=", "<=", ">=", "+", "-", "/", "*", "%", "~", "[",
        "]",  "(",  ")",  "{",  "}",  ">",  "<", "=", ".", ":", "|", ",", ";"};
    const auto* found = std::find_if(kOperators.begin(), kOperators.end(),
                                     [&](std::string_view one) { return next_is(one); });
    if (found == kOperators.end()) fail(fmt::format("unexpected character '{}'", c), at);
    at_ += found->size();
    bracket(c, open, at);
    add(Token::Kind::kOperator, std::string(*found), at);
  }

  static void bracket(char c, std::vector<char>& open, std::size_t at) {
    if (c == '(') open.push_back(')');
    if (c == '[') open.push_back(']');
    if (c == '{') open.push_back('}');
    if (c != ')' && c != ']' && c != '}') return;
    if (open.empty()) fail(fmt::format("unexpected '{}'", c), at);
    if (open.back() != c) fail(fmt::format("found '{}', expected '{}'", c, open.back()), at);
    open.pop_back();
  }

  /// Digits, with single underscores between them.
  void digits(bool (*is_one)(char), std::string& value) {
    while (at_ < source_.size()) {
      const bool underscore = source_[at_] == '_' && at_ + 1 < source_.size();
      const std::size_t digit = at_ + std::size_t{underscore};
      if (!is_one(source_[digit])) return;
      value += source_[digit];
      at_ = digit + 1;
    }
  }

  void number() {
    const std::size_t at = at_;
    if (source_[at_] == '0' && at_ + 2 < source_.size()) {
      const char kind = static_cast<char>(source_[at_ + 1] | 0x20);
      if (kind == 'x')
        return based(
            16, [](char c) { return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f'); });
      if (kind == 'o') return based(8, [](char c) { return c >= '0' && c <= '7'; });
      if (kind == 'b') return based(2, [](char c) { return c == '0' || c == '1'; });
    }
    std::string value;
    digits(is_digit, value);
    bool is_float = false;
    const bool after_dot = at > 0 && source_[at - 1] == '.';
    const auto digit_at = [&](std::size_t place) {
      return place < source_.size() && is_digit(source_[place]);
    };
    if (!after_dot && next_is(".") && digit_at(at_ + 1)) {
      is_float = true;
      value += source_[at_++];
      digits(is_digit, value);
    }
    if (!after_dot && (next_is("e") || next_is("E"))) {
      const bool sign =
          at_ + 1 < source_.size() && (source_[at_ + 1] == '+' || source_[at_ + 1] == '-');
      if (digit_at(at_ + 1 + std::size_t{sign})) {
        is_float = true;
        value += 'e';
        if (sign) value += source_[at_ + 1];
        at_ += 1 + std::size_t{sign};
        digits(is_digit, value);
      }
    }
    add(is_float ? Token::Kind::kFloat : Token::Kind::kInteger, std::move(value), at);
  }

  void based(int base, bool (*is_one)(char)) {
    const std::size_t at = at_;
    at_ += 2;
    std::string value;
    digits(is_one, value);
    std::int64_t number = 0;
    const auto [end, error] =
        std::from_chars(value.data(), value.data() + value.size(), number, base);
    if (value.empty() || error != std::errc()) fail("a number has no digits, or too many", at);
    add(Token::Kind::kInteger, std::to_string(number), at);
  }

  /// A character by its number in hexadecimal digits.
  void numbered(std::size_t count, std::size_t at, std::string& value) {
    std::uint32_t code = 0;
    const std::string_view written = source_.substr(at_, count);
    const auto [end, error] =
        std::from_chars(written.data(), written.data() + written.size(), code, 16);
    if (error != std::errc() || end != written.data() + count || code > 0x10FFFF ||
        (code >= 0xD800 && code < 0xE000)) {
      fail(fmt::format("expected a character's number in {} hexadecimal digits", count), at);
    }
    at_ += count;
    text::append_utf8(code, value);
  }

  /// What follows a backslash.
  void escaped(std::string& value) {
    const std::size_t at = at_ - 1;
    const char c = source_[at_++];
    static constexpr std::string_view kNames = "abfnrtv\\'\"";
    static constexpr std::string_view kValues = "\a\b\f\n\r\t\v\\'\"";
    if (const std::size_t known = kNames.find(c); known != kNames.npos) {
      value += kValues[known];
    } else if (c == 'x') {
      numbered(2, at, value);
    } else if (c == 'u') {
      numbered(4, at, value);
    } else if (c == 'U') {
      numbered(8, at, value);
    } else if (c >= '0' && c <= '7') {
      char32_t code = static_cast<char32_t>(c - '0');
      for (int i = 0; i < 2 && at_ < source_.size() && source_[at_] >= '0' && source_[at_] <= '7';
           ++i)
        code = code * 8 + static_cast<char32_t>(source_[at_++] - '0');
      text::append_utf8(code, value);
    } else if (c != '\n') {
      value += '\\';
      value += c;
    }
  }

  void string(char quote) {
    const std::size_t at = at_++;
    std::string value;
    while (at_ < source_.size()) {
      const char c = source_[at_++];
      if (c == quote) return add(Token::Kind::kString, std::move(value), at);
      if (c != '\\') {
        value += c;
      } else if (at_ < source_.size()) {
        escaped(value);
      }
    }
    fail(fmt::format("a string has no end: expected {}", quote), at);
  }

  std::string_view source_;
  std::size_t at_ = 0;
  bool at_line_start_ = true;  // whether what came before ends a line
  std::vector<Token> tokens_;
};

}  // namespace

std::string normal_source(std::string_view source) {
  std::string normal;
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] != '\r') {
      normal += source[i];
    } else if (i + 1 == source.size() || source[i + 1] != '\n') {
      normal += '\n';
    }
  }
  if (normal.ends_with('\n')) normal.pop_back();
  return normal;
}

std::vector<Token> read_tokens(std::string_view source) { return Lexer(source).run(); }

}  // namespace outrider::jinja

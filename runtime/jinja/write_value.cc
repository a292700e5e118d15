#include "runtime/jinja/write_value.h"

#include <fmt/core.h>
#include <utf8proc.h>

#include <array>
#include <charconv>
#include <cmath>

#include "runtime/jinja/python_characters.h"

namespace outrider::jinja {
namespace {

bool is_printable(char32_t character) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(character))) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return false;
    case UTF8PROC_CATEGORY_ZS:
      return character == ' ';
    default:
      return true;
  }
}

std::string escaped(char32_t character) {
  if (character == '\n') return "\\n";
  if (character == '\r') return "\\r";
  if (character == '\t') return "\\t";
  if (character < 0x100) return fmt::format("\\x{:02x}", static_cast<unsigned>(character));
  if (character < 0x10000) return fmt::format("\\u{:04x}", static_cast<unsigned>(character));
  return fmt::format("\\U{:08x}", static_cast<unsigned>(character));
}

class Writer {
 public:
  explicit Writer(Budget& budget) : budget_(budget) {}

  void add(const Value& value) {
    budget_.step();
    if (const Text* text = value.text()) {
      add_quoted(*text);
    } else if (const List* list = value.list()) {
      add_list(*list);
    } else if (const Dict* dict = value.dict()) {
      add_dict(*dict);
    } else {
      literal(simple(value));
    }
  }

  /// A value without elements that is no string.
  static std::string simple(const Value& value) {
    if (value.is_undefined()) return "Undefined";
    if (value.is_none()) return "None";
    if (const bool* flag = value.boolean()) return *flag ? "True" : "False";
    if (const std::int64_t* whole = value.integer()) return fmt::format("{}", *whole);
    if (const double* real = value.real()) return written_float(*real);
    return fmt::format("<{}>", value.type());
  }

  Text take() { return std::move(out_); }

 private:
  void literal(std::string_view text) {
    budget_.make(text.size());
    out_.append(text);
  }

  void add_quoted(const Text& text) {
    budget_.make(text.size() + 2);
    const std::string& bytes = text.bytes();
    const bool has_single = bytes.find('\'') != bytes.npos;
    const char quote = has_single && bytes.find('"') == bytes.npos ? '"' : '\'';
    const std::string mark(1, quote);
    out_.append(mark);
    for (std::size_t at = 0; at < bytes.size();) {
      const Character next = first_character(std::string_view(bytes).substr(at));
      if (next.code == static_cast<char32_t>(quote) || next.code == '\\') {
        out_.append_made("\\" + bytes.substr(at, 1), text, at, at + 1);
      } else if (is_printable(next.code)) {
        out_.append_part(text, at, at + next.size);
      } else {
        out_.append_made(escaped(next.code), text, at, at + next.size);
      }
      at += next.size;
    }
    out_.append(mark);
  }

  void add_list(const List& list) {
    if (list.kind == ListKind::kGenerator) return literal("<generator>");
    const bool is_tuple = list.kind == ListKind::kTuple;
    literal(is_tuple ? "(" : "[");
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      if (i > 0) literal(", ");
      add(list.items[i]);
    }
    literal(!is_tuple ? "]" : list.items.size() == 1 ? ",)" : ")");
  }

  void add_dict(const Dict& dict) {
    literal("{");
    for (const Dict::Item& item : dict.items()) {
      if (&item != &dict.items().front()) literal(", ");
      add(item.first);
      literal(": ");
      add(item.second);
    }
    literal("}");
  }

  Budget& budget_;
  Text out_;
};

}  // namespace

Text written(const Value& value, Budget& budget) {
  if (const Text* text = value.text()) return *text;
  if (value.is_undefined()) return {};
  return written_in_list(value, budget);
}

Text written_in_list(const Value& value, Budget& budget) {
  Writer writer(budget);
  writer.add(value);
  return writer.take();
}

std::string written_float(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::array<char, 64> buffer{};
  // Python writes an exponent below 1e-4 and from 1e16.
  const double size = std::abs(value);
  const bool fixed = value == 0 || (size >= 1e-4 && size < 1e16);
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                    fixed ? std::chars_format::fixed : std::chars_format::scientific);
  std::string text(buffer.data(), end);
  if (fixed && text.find('.') == text.npos) text += ".0";
  return text;
}

}  // namespace outrider::jinja

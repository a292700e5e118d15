#include "runtime/jinja/to_json.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "runtime/jinja/python_characters.h"
#include "runtime/jinja/write_value.h"

namespace outrider::jinja {
namespace {

std::string json_float(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  return written_float(value);
}

class JsonWriter {
 public:
  JsonWriter(const JsonStyle& style, Budget& budget) : style_(style), budget_(budget) {}

  void add(const Value& value, std::size_t level) {
    budget_.step();
    if (const Text* text = value.text()) {
      add_string(*text);
    } else if (const List* list = value.list()) {
      add_list(*list, level);
    } else if (const Dict* dict = value.dict()) {
      add_dict(*dict, level);
    } else {
      literal(simple(value));
    }
  }

  Text take() { return std::move(out_); }

 private:
  static std::string simple(const Value& value) {
    if (value.is_none()) return "null";
    if (const bool* flag = value.boolean()) return *flag ? "true" : "false";
    if (const std::int64_t* whole = value.integer()) return fmt::format("{}", *whole);
    if (const double* real = value.real()) return json_float(*real);
    throw Fault(fmt::format("{} has no form in JSON", value.type()));
  }

  void literal(std::string_view text) {
    budget_.make(text.size());
    out_.append(text);
  }

  void break_line(std::size_t level) {
    if (!style_.indent) return;
    literal("\n");
    for (std::size_t i = 0; i < level; ++i) literal(*style_.indent);
  }

  void add_list(const List& list, std::size_t level) {
    if (list.kind == ListKind::kGenerator)
      throw Fault("a generator has no form in JSON, put |list before");
    if (list.items.empty()) return literal("[]");
    literal("[");
    for (const Value& item : list.items) {
      if (&item != &list.items.front()) literal(style_.item_separator);
      break_line(level + 1);
      add(item, level + 1);
    }
    break_line(level);
    literal("]");
  }

  void add_dict(const Dict& dict, std::size_t level) {
    if (dict.items().empty()) return literal("{}");
    std::vector<const Dict::Item*> items;
    for (const Dict::Item& item : dict.items()) items.push_back(&item);
    if (style_.sorted) {
      std::stable_sort(items.begin(), items.end(), [](const Dict::Item* a, const Dict::Item* b) {
        return compare(a->first, b->first) < 0;
      });
    }
    literal("{");
    for (const Dict::Item* item : items) {
      if (item != items.front()) literal(style_.item_separator);
      break_line(level + 1);
      add_string(item->first.text() != nullptr ? *item->first.text() : Text(simple(item->first)));
      literal(style_.key_separator);
      add(item->second, level + 1);
    }
    break_line(level);
    literal("}");
  }

  std::string escaped(char32_t character) const {
    switch (character) {
      case '"':
        return "\\\"";
      case '\\':
        return "\\\\";
      case '\n':
        return "\\n";
      case '\r':
        return "\\r";
      case '\t':
        return "\\t";
      case '\b':
        return "\\b";
      case '\f':
        return "\\f";
      default:
        break;
    }
    const auto unit = [](char32_t code) {
      return fmt::format("\\u{:04x}", static_cast<unsigned>(code));
    };
    if (character < 0x20 || (style_.ascii && character >= 0x7F && character < 0x10000))
      return unit(character);
    if (!style_.ascii || character < 0x7F) return "";
    return unit(0xD800 + ((character - 0x10000) >> 10)) +
           unit(0xDC00 + ((character - 0x10000) & 0x3FF));
  }

  void add_string(const Text& text) {
    budget_.make(text.size() + 2);
    const std::string& bytes = text.bytes();
    out_.append("\"");
    for (std::size_t at = 0; at < bytes.size();) {
      const Character next = first_character(std::string_view(bytes).substr(at));
      const std::string instead = escaped(next.code);
      if (instead.empty()) {
        out_.append_part(text, at, at + next.size);
      } else {
        out_.append_made(instead, text, at, at + next.size);
      }
      at += next.size;
    }
    out_.append("\"");
  }

  const JsonStyle& style_;
  Budget& budget_;
  Text out_;
};

}  // namespace

Text to_json(const Value& value, const JsonStyle& style, Budget& budget) {
  JsonWriter writer(style, budget);
  writer.add(value, 0);
  return writer.take();
}

}  // namespace outrider::jinja

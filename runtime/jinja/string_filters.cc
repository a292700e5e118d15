#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "runtime/base/numbers.h"
#include "runtime/jinja/filter.h"
#include "runtime/jinja/operators.h"
#include "runtime/jinja/percent_format.h"
#include "runtime/jinja/python_characters.h"
#include "runtime/jinja/strings.h"
#include "runtime/jinja/to_json.h"

namespace outrider::jinja {
namespace {

Value json_filter(const FilterCall& call) {
  const Parameters given = call.parameters({"ensure_ascii", "indent", "separators", "sort_keys"});
  JsonStyle style;
  style.ascii = given.flag(0, false);
  style.sorted = given.flag(3, false);
  if (given.has_some(1)) {
    constexpr std::int64_t kWidestIndent = 1000;
    const Text* text = given.value(1).text();
    style.indent = text != nullptr
                       ? text->bytes()
                       : std::string(static_cast<std::size_t>(std::clamp(
                                         given.integer(1, 0), std::int64_t{0}, kWidestIndent)),
                                     ' ');
    style.item_separator = ",";
  }
  if (given.has_some(2)) {
    const List* both = given.value(2).list();
    if (both == nullptr || both->items.size() != 2)
      throw Fault("the filter tojson: 'separators' needs two strings");
    style.item_separator = need_text(both->items[0], "a separator").bytes();
    style.key_separator = need_text(both->items[1], "a separator").bytes();
  }
  return to_json(call.subject, style, call.budget());
}

Value trim_filter(const FilterCall& call) {
  const Parameters given = call.parameters({"chars"});
  if (!given.has_some(0)) return stripped(call.text(), Side::kBoth);
  return stripped(call.text(), Side::kBoth, given.text(0).bytes());
}

Value default_filter(const FilterCall& call) {
  const Parameters given = call.parameters({"default_value", "boolean"});
  const bool missing =
      call.subject.is_undefined() || (given.flag(1, false) && !call.subject.truth());
  if (!missing) return call.subject;
  return given.has(0) ? given.value(0) : Value("");
}

Value recase(const FilterCall& call, Text (*change)(const Text&, Budget&)) {
  call.parameters({});
  return change(call.text(), call.budget());
}

/// A capital after white space, hyphens and opening brackets.
Value title_filter(const FilterCall& call) {
  call.parameters({});
  bool begins = true;
  const auto change = [&](char32_t c, bool) {
    const bool first = std::exchange(
        begins, is_space(c) || (c < 0x80 && std::string_view("-({[<").find(static_cast<char>(c)) !=
                                                std::string_view::npos));
    return first ? upper_case(c) : lower_case(c);
  };
  return recased(call.text(), change, /*words=*/false, call.budget());
}

Value replace_filter(const FilterCall& call) {
  const Parameters given = call.parameters({"old", "new", "count"});
  const long most = given.has_some(2) ? given.integer(2, -1) : -1;
  return replaced(call.text(), call.rendering.write(given.value(0)),
                  call.rendering.write(given.value(1)), most, call.budget());
}

Value indent_filter(const FilterCall& call) {
  const Parameters given = call.parameters({"width", "first", "blank"});
  Text indent;
  if (given.has(0) && given.value(0).text() != nullptr) {
    indent = *given.value(0).text();
  } else {
    const auto width = static_cast<std::size_t>(std::max<std::int64_t>(given.integer(0, 4), 0));
    call.budget().make(width);
    indent = Text(std::string(width, ' '));
  }
  const Text subject = call.text();
  std::vector<Text> lines = lines_of(subject, /*keep_ends=*/false);
  // A line end at the end begins another line.
  if (const std::string& bytes = subject.bytes(); bytes.empty() || bytes.back() == '\n')
    lines.emplace_back();
  Text made;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    call.budget().make(indent.size() + lines[i].size() + 1);
    if (i > 0) made.append("\n");
    if (i == 0 ? given.flag(1, false) : given.flag(2, false) || !lines[i].empty())
      made.append(indent);
    made.append(lines[i]);
  }
  return made;
}

Value escape_filter(const FilterCall& call) {
  call.parameters({});
  return escaped_for_html(call.text(), call.budget());
}

Value safe_filter(const FilterCall& call) {
  call.parameters({});
  return call.text().as_markup();
}

Value string_filter(const FilterCall& call) {
  call.parameters({});
  return call.text();
}

Value format_filter(const FilterCall& call) {
  if (call.arguments.named.empty())
    return percent_format(call.text(), Value::tuple(call.arguments.positional), call.budget());
  Dict values;
  for (const auto& [name, value] : call.arguments.named) values.set(Value(name), value);
  return percent_format(call.text(), std::move(values), call.budget());
}

Value center_filter(const FilterCall& call) {
  const Parameters given = call.parameters({"width"});
  return centred(call.text(), given.integer(0, 80), Text(" "), call.budget());
}

Value truncate_filter(const FilterCall& call) {
  const Parameters given = call.parameters({"length", "killwords", "end", "leeway"});
  const Text text = call.text();
  const Text end = given.has(2) ? given.text(2) : Text("...");
  const std::vector<std::size_t> offsets = character_offsets(text.bytes());
  const auto size = static_cast<std::int64_t>(offsets.size() - 1);
  const std::int64_t length = given.integer(0, 255);
  const auto end_size = static_cast<std::int64_t>(character_count(end.bytes()));
  if (length < end_size) throw Fault("the filter truncate: 'length' is shorter than 'end'");
  const std::int64_t leeway = given.has_some(3) ? given.integer(3, 5) : 5;
  if (leeway < 0) throw Fault("the filter truncate: 'leeway' is below 0");
  if (size - length <= leeway) return text;
  Text made = text.part(0, offsets[static_cast<std::size_t>(length - end_size)]);
  if (!given.flag(1, false)) made = split_from_end(made, " ", 1).front();
  made.append(end);
  return made;
}

Value wordcount_filter(const FilterCall& call) {
  call.parameters({});
  std::int64_t words = 0;
  bool inside = false;
  const Text text = call.text();
  const std::string_view bytes = text.bytes();
  for (std::size_t at = 0; at < bytes.size();) {
    const Character next = first_character(bytes.substr(at));
    const bool is_word = is_letter(next.code) || is_decimal(next.code) || next.code == '_';
    words += std::int64_t{is_word && !inside};
    inside = is_word;
    at += next.size;
  }
  return words;
}

// Numbers.

/// Python's `int` of a text.
std::optional<std::int64_t> parse_whole(std::string_view written, std::int64_t base) {
  std::string digits;
  for (const char c : written) {
    if (c != '_') digits += c;
  }
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.erase(0, 1);
  const auto drop = [&](char kind) {
    if (digits.size() > 2 && digits[0] == '0' && (digits[1] | 0x20) == kind) digits.erase(0, 2);
  };
  if (base == 16) drop('x');
  if (base == 8) drop('o');
  if (base == 2) drop('b');
  if (base < 2 || base > 36 || digits.empty()) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : digits) {
    const int digit = c >= '0' && c <= '9'                     ? c - '0'
                      : (c | 0x20) >= 'a' && (c | 0x20) <= 'z' ? (c | 0x20) - 'a' + 10
                                                               : 99;
    if (digit >= base || __builtin_mul_overflow(value, base, &value) ||
        __builtin_add_overflow(value, digit, &value))
      return std::nullopt;
  }
  return negative ? -value : value;
}

std::optional<double> parse_float(const Text& text) {
  const Text bare = stripped(text, Side::kBoth);
  std::string_view written = bare.bytes();
  if (written.starts_with('+')) written.remove_prefix(1);
  if (written.ends_with('.')) written.remove_suffix(1);
  return parse_real(written);
}

std::optional<std::int64_t> truncated(double value) {
  constexpr double kMost = 9.2e18;
  if (!(value > -kMost && value < kMost)) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

Value int_filter(const FilterCall& call) {
  const Parameters given = call.parameters({"default", "base"});
  const Value otherwise = given.has(0) ? given.value(0) : Value(std::int64_t{0});
  std::optional<double> real;
  if (const Text* text = call.subject.text()) {
    const Text bare = stripped(*text, Side::kBoth);
    if (const auto whole = parse_whole(bare.bytes(), given.integer(1, 10))) return *whole;
    real = parse_float(*text);
  } else if (const auto whole = call.subject.whole()) {
    return *whole;
  } else {
    real = call.subject.number();
  }
  const auto whole = real ? truncated(*real) : std::nullopt;
  return whole ? Value(*whole) : otherwise;
}

Value float_filter(const FilterCall& call) {
  const Parameters given = call.parameters({"default"});
  const Text* text = call.subject.text();
  const auto real = text != nullptr ? parse_float(*text) : call.subject.number();
  return real ? Value(*real) : given.has(0) ? given.value(0) : Value(0.0);
}

double need_number(const FilterCall& call) {
  if (const auto number = call.subject.number()) return *number;
  need_defined(call.subject);
  throw Fault(
      fmt::format("the filter {}: found {}, expected a number", call.name, call.subject.type()));
}

Value abs_filter(const FilterCall& call) {
  call.parameters({});
  const double number = need_number(call);
  if (call.subject.whole())
    return number < 0 ? with_sign(call.subject, true) : Value(*call.subject.whole());
  return std::abs(number);
}

Value round_filter(const FilterCall& call) {
  const Parameters given = call.parameters({"precision", "method"});
  const double number = need_number(call);
  const std::int64_t precision = given.integer(0, 0);
  const std::string method = given.has(1) ? given.text(1).bytes() : "common";
  constexpr std::int64_t kMost = 300;
  if (precision < -kMost || precision > kMost)
    throw Fault("the filter round: 'precision' is too large");
  const double scale = std::pow(10.0, static_cast<double>(precision));
  if (method == "ceil") return std::ceil(number * scale) / scale;
  if (method == "floor") return std::floor(number * scale) / scale;
  if (method != "common")
    throw Fault("the filter round: expected the method common, ceil or floor");
  if (call.subject.whole() && precision >= 0) return *call.subject.whole();
  if (precision >= 0) return parse_real(fmt::format("{:.{}f}", number, precision)).value_or(number);
  const double rounded = std::nearbyint(number * scale) / scale;
  if (!call.subject.whole()) return rounded;
  const auto whole = truncated(rounded);
  if (!whole) throw Fault("an integer beyond 64 bits");
  return *whole;
}

}  // namespace

FilterFunction find_string_filter(const std::string& name) {
  static const std::map<std::string_view, FilterFunction> filters = {
      {"abs", abs_filter},
      {"capitalize", [](const FilterCall& call) { return recase(call, capitalised); }},
      {"center", center_filter},
      {"d", default_filter},
      {"default", default_filter},
      {"e", escape_filter},
      {"escape", escape_filter},
      {"float", float_filter},
      {"forceescape", escape_filter},
      {"format", format_filter},
      {"indent", indent_filter},
      {"int", int_filter},
      {"lower", [](const FilterCall& call) { return recase(call, lower); }},
      {"replace", replace_filter},
      {"round", round_filter},
      {"safe", safe_filter},
      {"string", string_filter},
      {"title", title_filter},
      {"tojson", json_filter},
      {"trim", trim_filter},
      {"truncate", truncate_filter},
      {"upper", [](const FilterCall& call) { return recase(call, upper); }},
      {"wordcount", wordcount_filter},
  };
  const auto found = filters.find(name);
  return found == filters.end() ? nullptr : found->second;
}

}  // namespace outrider::jinja

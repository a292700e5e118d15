#include "runtime/jinja/brace_format.h"

#include <fmt/core.h>

#include <algorithm>

#include "runtime/base/numbers.h"
#include "runtime/jinja/operators.h"
#include "runtime/jinja/python_characters.h"
#include "runtime/jinja/strings.h"
#include "runtime/jinja/write_value.h"

namespace outrider::jinja {
namespace {

/// What stands after the colon of a field.
struct FieldSpec {
  std::string fill = " ";
  char align = 0;
  char sign = '-';
  bool zeros = false;
  bool thousands = false;
  std::size_t width = 0;
  std::optional<std::size_t> precision;
  char type = 0;
};

FieldSpec parse_spec(std::string_view text) {
  FieldSpec spec;
  const auto is_align = [](char c) { return c == '<' || c == '>' || c == '^' || c == '='; };
  const auto take = [&] {
    const char c = text.front();
    text.remove_prefix(1);
    return c;
  };
  if (!text.empty()) {
    const std::size_t size = first_character(text).size;
    if (text.size() > size && is_align(text[size])) {
      spec.fill = std::string(text.substr(0, size));
      text.remove_prefix(size);
      spec.align = take();
    } else if (is_align(text.front())) {
      spec.align = take();
    }
  }
  const auto number = [&] {
    constexpr std::size_t kMost = 100'000;
    std::size_t value = 0;
    while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
      value = value * 10 + static_cast<std::size_t>(take() - '0');
      if (value > kMost) throw Fault("format(): a width is too large");
    }
    return value;
  };
  if (!text.empty() && std::string_view("+- ").find(text.front()) != std::string_view::npos)
    spec.sign = take();
  if (text.starts_with('0')) spec.zeros = true;
  spec.width = number();
  if (text.starts_with(',')) {
    take();
    spec.thousands = true;
  }
  if (text.starts_with('.')) {
    take();
    spec.precision = number();
  }
  if (!text.empty()) spec.type = take();
  if (!text.empty()) throw Fault("format(): a field's format is not known");
  return spec;
}

std::string with_thousands(std::string digits) {
  const std::size_t whole = std::min(digits.find_first_not_of("0123456789"), digits.size());
  for (std::size_t at = whole; at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

/// The digits of a number without its sign.
std::string digits_of(const Value& value, const FieldSpec& spec) {
  const auto whole = value.whole();
  const bool as_real =
      std::string_view("eEfFgG%").find(spec.type) != std::string_view::npos && spec.type != 0;
  if (whole && !as_real) {
    const auto size =
        *whole < 0 ? 0 - static_cast<std::uint64_t>(*whole) : static_cast<std::uint64_t>(*whole);
    switch (spec.type) {
      case 0:
      case 'd':
      case 'n':
        return fmt::format("{}", size);
      case 'x':
        return fmt::format("{:x}", size);
      case 'X':
        return fmt::format("{:X}", size);
      case 'o':
        return fmt::format("{:o}", size);
      case 'b':
        return fmt::format("{:b}", size);
      default:
        throw Fault(fmt::format("format(): unknown type '{}' for an integer", spec.type));
    }
  }
  const double number = std::abs(value.number().value());
  if (spec.type == 0 && !spec.precision) return written_float(number);
  if (spec.type == '%') return fmt::format("{:.{}f}%", number * 100, spec.precision.value_or(6));
  if (spec.type != 0 && !as_real)
    throw Fault(fmt::format("format(): unknown type '{}' for a float", spec.type));
  const std::string kind =
      fmt::format("{{:.{}{}}}", spec.precision.value_or(6), spec.type == 0 ? 'g' : spec.type);
  return fmt::format(fmt::runtime(kind), number);
}

Text in_field(const Value& value, const FieldSpec& spec, Budget& budget) {
  Text text;
  std::string sign;
  const bool is_number =
      value.number().has_value() && (value.boolean() == nullptr || spec.type != 0);
  if (is_number) {
    const bool negative = *value.number() < 0;
    sign = negative ? "-" : spec.sign == '-' ? "" : std::string(1, spec.sign);
    std::string digits = digits_of(value, spec);
    text = Text(spec.thousands ? with_thousands(std::move(digits)) : std::move(digits));
  } else {
    text = written(value, budget);
    const std::vector<std::size_t> offsets = character_offsets(text.bytes());
    if (spec.precision && *spec.precision + 1 < offsets.size())
      text = text.part(0, offsets[*spec.precision]);
  }
  const std::size_t length = character_count(text.bytes()) + sign.size();
  const std::size_t pad = spec.width > length ? spec.width - length : 0;
  const char align = spec.align != 0           ? spec.align
                     : spec.zeros && is_number ? '='
                     : is_number               ? '>'
                                               : '<';
  const Text fill(spec.align == 0 && spec.zeros ? "0" : spec.fill);
  const std::size_t before = align == '<' ? 0 : align == '^' ? pad / 2 : pad;
  Text signed_text(sign);
  if (align == '=') {
    signed_text.append(padded(text, pad, 0, fill, budget));
    return signed_text;
  }
  signed_text.append(text);
  return padded(signed_text, before, pad - before, fill, budget);
}

class BraceFormatter {
 public:
  BraceFormatter(const Text& format, const Arguments& arguments, Budget& budget)
      : format_(format), bytes_(format.bytes()), arguments_(arguments), budget_(budget) {}

  Text run() {
    std::size_t at = 0;
    while (at < bytes_.size()) {
      const std::size_t brace = std::min(bytes_.find_first_of("{}", at), bytes_.size());
      budget_.make(brace - at);
      out_.append_part(format_, at, brace);
      if (brace == bytes_.size()) break;
      const bool doubled = brace + 1 < bytes_.size() && bytes_[brace + 1] == bytes_[brace];
      if (doubled) {
        out_.append_part(format_, brace, brace + 1);
        at = brace + 2;
      } else if (bytes_[brace] == '}') {
        throw Fault("format(): a single '}'");
      } else {
        const std::size_t end = bytes_.find('}', brace);
        if (end == bytes_.npos) throw Fault("format(): a '{' without its '}'");
        field(std::string_view(bytes_).substr(brace + 1, end - brace - 1));
        at = end + 1;
      }
    }
    return std::move(out_);
  }

 private:
  void field(std::string_view text) {
    const std::size_t colon = std::min(text.find(':'), text.size());
    std::string_view name = text.substr(0, colon);
    const FieldSpec spec = parse_spec(colon < text.size() ? text.substr(colon + 1) : "");
    const std::size_t mark = std::min(name.find('!'), name.size());
    const std::string_view conversion = name.substr(mark);
    name = name.substr(0, mark);
    const Value value = value_of(name);
    if (conversion.empty()) {
      out_.append(in_field(value, spec, budget_));
    } else if (conversion == "!r" || conversion == "!s") {
      const Text text_of =
          conversion == "!r" ? written_in_list(value, budget_) : written(value, budget_);
      out_.append(in_field(text_of, spec, budget_));
    } else {
      throw Fault("format(): expected !r or !s");
    }
  }

  Value value_of(std::string_view name) {
    const std::size_t end = std::min(name.find_first_of(".["), name.size());
    Value value = argument(name.substr(0, end));
    name.remove_prefix(end);
    while (!name.empty()) {
      if (name.front() == '.') {
        const std::size_t stop = std::min(name.find_first_of(".[", 1), name.size());
        value = attribute_of(value, std::string(name.substr(1, stop - 1)));
        name.remove_prefix(stop);
      } else {
        const std::size_t stop = name.find(']');
        if (name.front() != '[' || stop == name.npos)
          throw Fault("format(): a '[' without its ']'");
        const std::string_view key = name.substr(1, stop - 1);
        const auto index = parse_integer(key);
        value = element_of(value, index ? Value(*index) : Value(std::string(key)));
        name.remove_prefix(stop + 1);
      }
    }
    return value;
  }

  Value argument(std::string_view name) {
    const auto written_index = parse_integer(name);
    numbered_ |= written_index.has_value();
    counted_ |= name.empty();
    if (numbered_ && counted_) throw Fault("format(): {} and {0} do not go together");
    const auto index = name.empty() ? std::optional<std::int64_t>(next_++) : written_index;
    if (index) {
      if (*index >= 0 && static_cast<std::size_t>(*index) < arguments_.positional.size())
        return arguments_.positional[static_cast<std::size_t>(*index)];
      throw Fault("format(): too few arguments");
    }
    for (const auto& [known, value] : arguments_.named) {
      if (known == name) return value;
    }
    throw Fault(fmt::format("format(): the argument '{}' is missing", name));
  }

  const Text& format_;
  const std::string& bytes_;
  const Arguments& arguments_;
  Budget& budget_;
  std::int64_t next_ = 0;
  bool numbered_ = false;  // fields by their numbers
  bool counted_ = false;   // fields without
  Text out_;
};

}  // namespace

Text brace_format(const Text& format, const Arguments& arguments, Budget& budget) {
  return BraceFormatter(format, arguments, budget).run();
}

}  // namespace outrider::jinja

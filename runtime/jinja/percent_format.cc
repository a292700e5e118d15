#include "runtime/jinja/percent_format.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "runtime/jinja/python_characters.h"
#include "runtime/jinja/write_value.h"
#include "runtime/tokenizer/utf8.h"

namespace outrider::jinja {
namespace {

constexpr std::size_t kWidest = 100'000;

/// One %-part of a format.
struct Conversion {
  std::string flags;
  std::size_t width = 0;
  std::optional<std::size_t> precision;
  char code = 's';

  bool has(char flag) const { return flags.find(flag) != flags.npos; }
};

class PercentFormatter {
 public:
  PercentFormatter(const Text& format, const Value& values, Budget& budget)
      : format_(format), values_(values), budget_(budget) {}

  Text run() {
    const std::string& bytes = format_.bytes();
    while (at_ < bytes.size()) {
      const std::size_t percent = std::min(bytes.find('%', at_), bytes.size());
      budget_.make(percent - at_);
      out_.append_part(format_, at_, percent);
      at_ = percent;
      if (at_ < bytes.size()) conversion();
    }
    const List* list = values_.list();
    const std::size_t given = list != nullptr && list->kind == ListKind::kTuple ? list->items.size()
                              : values_.dict() != nullptr                       ? used_
                                                                                : 1;
    if (used_ < given) throw Fault("a format has fewer places than values");
    return std::move(out_);
  }

 private:
  char now() const {
    if (at_ >= format_.size()) throw Fault("a format ends inside a % part");
    return format_.bytes()[at_];
  }

  std::size_t number() {
    std::size_t value = 0;
    for (; now() >= '0' && now() <= '9'; ++at_) {
      value = value * 10 + static_cast<std::size_t>(now() - '0');
      if (value > kWidest) throw Fault("a format's width is too large");
    }
    return value;
  }

  const Value& next_value() {
    const List* list = values_.list();
    const std::size_t place = used_++;
    if (list != nullptr && list->kind == ListKind::kTuple) {
      if (place < list->items.size()) return list->items[place];
    } else if (place == 0) {
      return values_;
    }
    throw Fault("a format has more places than values");
  }

  const Value& value_of_key() {
    const std::size_t begin = ++at_;
    while (now() != ')') ++at_;
    const std::string key = format_.bytes().substr(begin, at_++ - begin);
    if (values_.dict() == nullptr) throw Fault("a format with keys needs a dictionary");
    if (const Value* found = values_.dict()->named(key)) return *found;
    throw Fault(fmt::format("a format's key '{}' is missing", key));
  }

  void conversion() {
    ++at_;
    const Value* keyed = now() == '(' ? &value_of_key() : nullptr;
    Conversion part;
    while (std::string_view("-+ 0#").find(now()) != std::string_view::npos)
      part.flags += format_.bytes()[at_++];
    part.width = number();
    if (now() == '.') {
      ++at_;
      part.precision = number();
    }
    part.code = now();
    ++at_;
    if (part.code == '%') return out_.append("%");
    add(part, keyed != nullptr ? *keyed : next_value());
  }

  void add(const Conversion& part, const Value& value) {
    Text text = converted(part, value);
    const std::size_t length = character_count(text.bytes());
    const std::size_t pad = part.width > length ? part.width - length : 0;
    budget_.make(text.size() + pad);
    if (part.has('-')) {
      out_.append(text);
      out_.append(std::string(pad, ' '));
      return;
    }
    const bool zeros =
        part.has('0') && std::string_view("srac").find(part.code) == std::string_view::npos;
    std::size_t sign = 0;
    if (zeros && !text.empty() &&
        std::string_view("+- ").find(text.bytes()[0]) != std::string_view::npos)
      sign = 1;
    out_.append_part(text, 0, sign);
    out_.append(std::string(pad, zeros ? '0' : ' '));
    out_.append_part(text, sign, text.size());
  }

  Text converted(const Conversion& part, const Value& value) {
    switch (part.code) {
      case 's':
      case 'r':
      case 'a': {
        Text text = part.code == 's' ? written(value, budget_) : written_in_list(value, budget_);
        const std::vector<std::size_t> offsets = character_offsets(text.bytes());
        if (part.precision && *part.precision + 1 < offsets.size())
          return text.part(0, offsets[*part.precision]);
        return text;
      }
      case 'c':
        return character(value);
      case 'd':
      case 'i':
      case 'u':
        return Text(signed_form(part, whole(value, /*truncates=*/true), "d"));
      case 'x':
        return Text(signed_form(part, whole(value, false), "x"));
      case 'X':
        return Text(signed_form(part, whole(value, false), "X"));
      case 'o':
        return Text(signed_form(part, whole(value, false), "o"));
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
        return Text(real(part, value));
      default:
        throw Fault(fmt::format("a format has an unknown part %{}", part.code));
    }
  }

  static Text character(const Value& value) {
    if (const Text* text = value.text(); text != nullptr && character_count(text->bytes()) == 1)
      return *text;
    const auto code = value.whole();
    if (!code || *code < 0 || *code > 0x10FFFF) throw Fault("%c needs a character");
    std::string text;
    text::append_utf8(static_cast<char32_t>(*code), text);
    return Text(text);
  }

  static std::int64_t whole(const Value& value, bool truncates) {
    if (const auto found = value.whole()) return *found;
    constexpr double kMost = 9.2e18;
    if (const double* found = value.real();
        found != nullptr && truncates && *found > -kMost && *found < kMost)
      return static_cast<std::int64_t>(*found);
    throw Fault(fmt::format("a format needs a number, found {}", value.type()));
  }

  static std::string signed_form(const Conversion& part, std::int64_t value, const char* kind) {
    const auto size =
        value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    std::string digits = fmt::format(fmt::runtime(fmt::format("{{:{}}}", kind)), size);
    if (part.precision && digits.size() < *part.precision)
      digits.insert(0, *part.precision - digits.size(), '0');
    if (part.has('#') && *kind != 'd') digits.insert(0, fmt::format("0{}", *kind));
    return sign_of(part, value < 0) + digits;
  }

  static std::string real(const Conversion& part, const Value& value) {
    const auto number = value.number();
    if (!number) throw Fault(fmt::format("a format needs a number, found {}", value.type()));
    const std::string kind = fmt::format("{{:.{}{}}}", part.precision.value_or(6), part.code);
    return sign_of(part, *number < 0) +
           fmt::format(fmt::runtime(kind), *number < 0 ? -*number : *number);
  }

  static std::string sign_of(const Conversion& part, bool negative) {
    return negative ? "-" : part.has('+') ? "+" : part.has(' ') ? " " : "";
  }

  const Text& format_;
  const Value& values_;
  Budget& budget_;
  std::size_t at_ = 0;
  std::size_t used_ = 0;
  Text out_;
};

}  // namespace

Text percent_format(const Text& format, const Value& values, Budget& budget) {
  return PercentFormatter(format, values, budget).run();
}

}  // namespace outrider::jinja

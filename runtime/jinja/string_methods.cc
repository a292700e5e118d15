#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "runtime/jinja/brace_format.h"
#include "runtime/jinja/operators.h"
#include "runtime/jinja/parameters.h"
#include "runtime/jinja/python_characters.h"
#include "runtime/jinja/rendering.h"
#include "runtime/jinja/strings.h"
#include "runtime/jinja/value_methods.h"

namespace outrider::jinja {
namespace {

/// A method that is being called.
struct StringCall {
  Rendering& rendering;
  const Text& text;
  const std::string& name;
  const Arguments& arguments;

  Budget& budget() const { return rendering.budget; }
  Parameters parameters(std::initializer_list<const char*> names) const {
    return {name, arguments, names};
  }
};

Value list_of(std::vector<Text> texts, Budget& budget) {
  budget.step(texts.size());
  std::vector<Value> items;
  items.reserve(texts.size());
  for (Text& text : texts) items.emplace_back(std::move(text));
  return Value::list(std::move(items));
}

Value strip_as(const StringCall& call, Side side) {
  const Parameters given = call.parameters({"chars"});
  if (!given.has_some(0)) return stripped(call.text, side);
  return stripped(call.text, side, given.text(0).bytes());
}

Value split(const StringCall& call, bool from_end) {
  const Parameters given = call.parameters({"sep", "maxsplit"});
  const long most = given.integer(1, -1);
  call.budget().make(call.text.size());
  const bool at_spaces = !given.has_some(0);
  if (!at_spaces && given.text(0).empty()) throw Fault("split(): the separator is empty");
  if (from_end) {
    const auto separator =
        at_spaces ? std::nullopt : std::optional<std::string_view>(given.text(0).bytes());
    return list_of(split_from_end(call.text, separator, most), call.budget());
  }
  return list_of(at_spaces ? split_at_spaces(call.text, most)
                           : split_at(call.text, given.text(0).bytes(), most),
                 call.budget());
}

/// A slice of the text by "start" and "end", which many methods take after what they look for.
struct Range {
  std::size_t begin;  // in bytes
  std::size_t end;
  std::size_t first;  // the character at `begin`
  bool is_valid;      // no start after the end
};

Range range_of(const StringCall& call, const Parameters& given) {
  if (!given.has_some(1) && !given.has_some(2)) return {0, call.text.size(), 0, true};
  const std::vector<std::size_t> offsets = character_offsets(call.text.bytes());
  const auto size = static_cast<std::int64_t>(offsets.size() - 1);
  const auto place = [&](std::size_t index, std::int64_t otherwise) {
    const std::int64_t found = given.has_some(index) ? given.integer(index, 0) : otherwise;
    return found < 0 ? std::max<std::int64_t>(std::max(found, -size) + size, 0) : found;
  };
  const std::int64_t first = place(1, 0);
  const std::int64_t last = std::min(place(2, size), size);
  if (first > last) return {0, 0, 0, false};
  const auto at = [&](std::int64_t character) {
    return offsets[static_cast<std::size_t>(character)];
  };
  return {at(first), at(last), static_cast<std::size_t>(first), true};
}

Value starts_or_ends(const StringCall& call, bool starts) {
  const Parameters given = call.parameters({"prefix", "start", "end"});
  const Range range = range_of(call, given);
  if (!range.is_valid) return false;
  const std::string_view part =
      std::string_view(call.text.bytes()).substr(range.begin, range.end - range.begin);
  const auto fits = [&](const Value& value) {
    const std::string& one = need_text(value, call.name + "(): the argument").bytes();
    return starts ? part.starts_with(one) : part.ends_with(one);
  };
  const Value& wanted = given.value(0);
  const List* list = wanted.list();
  if (list == nullptr || list->kind != ListKind::kTuple) return fits(wanted);
  return std::any_of(list->items.begin(), list->items.end(), fits);
}

Value find(const StringCall& call, bool from_end, bool must) {
  const Parameters given = call.parameters({"sub", "start", "end"});
  const std::string& wanted = given.text(0).bytes();
  const Range range = range_of(call, given);
  const std::string_view part =
      std::string_view(call.text.bytes()).substr(range.begin, range.end - range.begin);
  const std::size_t found = from_end ? part.rfind(wanted) : part.find(wanted);
  if (range.is_valid && found != std::string_view::npos)
    return Value::size(range.first + character_count(part.substr(0, found)));
  if (must) throw Fault(fmt::format("{}(): the text is not found", call.name));
  return std::int64_t{-1};
}

Value count(const StringCall& call) {
  const Parameters given = call.parameters({"sub", "start", "end"});
  const std::string& wanted = given.text(0).bytes();
  const Range range = range_of(call, given);
  if (!range.is_valid) return std::int64_t{0};
  const std::string_view part =
      std::string_view(call.text.bytes()).substr(range.begin, range.end - range.begin);
  if (wanted.empty()) return Value::size(character_count(part) + 1);
  std::size_t found = 0;
  for (std::size_t at = part.find(wanted); at != part.npos;
       at = part.find(wanted, at + wanted.size()))
    ++found;
  return Value::size(found);
}

Value replace(const StringCall& call) {
  const Parameters given = call.parameters({"old", "new", "count"});
  return replaced(call.text, given.text(0), given.text(1), given.integer(2, -1), call.budget());
}

Value join(const StringCall& call) {
  const Parameters given = call.parameters({"iterable"});
  Text made;
  bool is_first = true;
  need_defined(given.value(0));
  for (const Value& item : elements_of(given.value(0), call.budget())) {
    const Text& text = need_text(item, "join(): an element");
    call.budget().make(call.text.size() + text.size());
    if (!is_first) made.append(call.text);
    made.append(text);
    is_first = false;
  }
  return made;
}

/// @param is_one  of characters that are letters or other; the text must have one
template <typename Test>
Value all_are(const StringCall& call, Test is_one) {
  call.parameters({});
  const std::string_view bytes = call.text.bytes();
  for (std::size_t at = 0; at < bytes.size();) {
    const Character next = first_character(bytes.substr(at));
    if (!is_one(next.code)) return false;
    at += next.size;
  }
  return !bytes.empty();
}

/// Whether its cased letters are all of this case, and there is one.
Value is_cased(const StringCall& call, bool upper_wanted) {
  call.parameters({});
  const std::string_view bytes = call.text.bytes();
  bool any = false;
  for (std::size_t at = 0; at < bytes.size();) {
    const Character next = first_character(bytes.substr(at));
    if (upper_wanted ? is_lower(next.code) : is_upper(next.code)) return false;
    any |= upper_wanted ? is_upper(next.code) : is_lower(next.code);
    at += next.size;
  }
  return any;
}

Value is_title(const StringCall& call) {
  call.parameters({});
  const std::string_view bytes = call.text.bytes();
  bool any = false;
  bool after_cased = false;
  for (std::size_t at = 0; at < bytes.size();) {
    const Character next = first_character(bytes.substr(at));
    if (is_upper(next.code) ? after_cased : is_lower(next.code) && !after_cased) return false;
    after_cased = is_upper(next.code) || is_lower(next.code);
    any |= after_cased;
    at += next.size;
  }
  return any;
}

Value title(const StringCall& call) {
  call.parameters({});
  const auto change = [](char32_t c, bool is_first) {
    return is_first ? title_case(c) : lower_case(c);
  };
  return recased(call.text, change, /*words=*/true, call.budget());
}

Value swapcase(const StringCall& call) {
  call.parameters({});
  const auto change = [](char32_t c, bool) { return is_upper(c) ? lower_case(c) : upper_case(c); };
  return recased(call.text, change, /*words=*/false, call.budget());
}

Value pad(const StringCall& call, Side side) {
  const Parameters given = call.parameters({"width", "fillchar"});
  const long width = given.integer(0, 0);
  const Text fill = given.has(1) ? given.text(1) : Text(" ");
  if (character_count(fill.bytes()) != 1)
    throw Fault(fmt::format("{}(): expected one character to fill with", call.name));
  if (side == Side::kBoth) return centred(call.text, width, fill, call.budget());
  const auto length = static_cast<long>(character_count(call.text.bytes()));
  if (width <= length) return call.text;
  const auto missing = static_cast<std::size_t>(width - length);
  call.budget().make(missing);
  return padded(call.text, side == Side::kLeft ? missing : 0, side == Side::kLeft ? 0 : missing,
                fill, call.budget());
}

Value zfill(const StringCall& call) {
  const Parameters given = call.parameters({"width"});
  const long width = given.integer(0, 0);
  const auto length = static_cast<long>(character_count(call.text.bytes()));
  const auto missing = width <= length ? std::size_t{0} : static_cast<std::size_t>(width - length);
  call.budget().make(missing);
  const bool has_sign =
      !call.text.empty() && (call.text.bytes()[0] == '-' || call.text.bytes()[0] == '+');
  Text made = call.text.part(0, std::size_t{has_sign});
  made.append(std::string(missing, '0'));
  made.append_part(call.text, std::size_t{has_sign}, call.text.size());
  return made;
}

Value without(const StringCall& call, bool is_prefix) {
  const Parameters given = call.parameters({"affix"});
  const std::string& affix = given.text(0).bytes();
  const std::string& bytes = call.text.bytes();
  if (is_prefix ? !bytes.starts_with(affix) : !bytes.ends_with(affix)) return call.text;
  return is_prefix ? call.text.part(affix.size(), bytes.size())
                   : call.text.part(0, bytes.size() - affix.size());
}

Value partition(const StringCall& call, bool from_end) {
  const Parameters given = call.parameters({"sep"});
  const std::string& separator = given.text(0).bytes();
  if (separator.empty()) throw Fault("partition(): the separator is empty");
  const std::string& bytes = call.text.bytes();
  const std::size_t at = from_end ? bytes.rfind(separator) : bytes.find(separator);
  if (at == bytes.npos) {
    if (from_end) return Value::tuple({Text(), Text(), call.text});
    return Value::tuple({call.text, Text(), Text()});
  }
  const std::size_t end = at + separator.size();
  return Value::tuple(
      {call.text.part(0, at), call.text.part(at, end), call.text.part(end, bytes.size())});
}

Value split_lines(const StringCall& call) {
  const Parameters given = call.parameters({"keepends"});
  call.budget().make(call.text.size());
  return list_of(lines_of(call.text, given.flag(0, false)), call.budget());
}

Value change_case(const StringCall& call, Text (*change)(const Text&, Budget&)) {
  call.parameters({});
  return change(call.text, call.budget());
}

using StringMethod = Value (*)(const StringCall&);

const std::map<std::string_view, StringMethod>& string_methods() {
  static const std::map<std::string_view, StringMethod> methods = {
      {"capitalize", [](const StringCall& call) { return change_case(call, capitalised); }},
      {"casefold", [](const StringCall& call) { return change_case(call, lower); }},
      {"center", [](const StringCall& call) { return pad(call, Side::kBoth); }},
      {"count", count},
      {"endswith", [](const StringCall& call) { return starts_or_ends(call, false); }},
      {"find", [](const StringCall& call) { return find(call, false, false); }},
      {"format",
       [](const StringCall& call) -> Value {
         return brace_format(call.text, call.arguments, call.budget());
       }},
      {"index", [](const StringCall& call) { return find(call, false, true); }},
      {"isalnum",
       [](const StringCall& call) {
         return all_are(call, [](char32_t c) { return is_letter(c) || is_decimal(c); });
       }},
      {"isalpha", [](const StringCall& call) { return all_are(call, is_letter); }},
      {"isdecimal", [](const StringCall& call) { return all_are(call, is_decimal); }},
      {"isdigit", [](const StringCall& call) { return all_are(call, is_decimal); }},
      {"islower", [](const StringCall& call) { return is_cased(call, false); }},
      {"isnumeric", [](const StringCall& call) { return all_are(call, is_decimal); }},
      {"isspace", [](const StringCall& call) { return all_are(call, is_space); }},
      {"istitle", is_title},
      {"isupper", [](const StringCall& call) { return is_cased(call, true); }},
      {"join", join},
      {"ljust", [](const StringCall& call) { return pad(call, Side::kRight); }},
      {"lower", [](const StringCall& call) { return change_case(call, lower); }},
      {"lstrip", [](const StringCall& call) { return strip_as(call, Side::kLeft); }},
      {"partition", [](const StringCall& call) { return partition(call, false); }},
      {"removeprefix", [](const StringCall& call) { return without(call, true); }},
      {"removesuffix", [](const StringCall& call) { return without(call, false); }},
      {"replace", replace},
      {"rfind", [](const StringCall& call) { return find(call, true, false); }},
      {"rindex", [](const StringCall& call) { return find(call, true, true); }},
      {"rjust", [](const StringCall& call) { return pad(call, Side::kLeft); }},
      {"rpartition", [](const StringCall& call) { return partition(call, true); }},
      {"rsplit", [](const StringCall& call) { return split(call, true); }},
      {"rstrip", [](const StringCall& call) { return strip_as(call, Side::kRight); }},
      {"split", [](const StringCall& call) { return split(call, false); }},
      {"splitlines", split_lines},
      {"startswith", [](const StringCall& call) { return starts_or_ends(call, true); }},
      {"strip", [](const StringCall& call) { return strip_as(call, Side::kBoth); }},
      {"swapcase", swapcase},
      {"title", title},
      {"upper", [](const StringCall& call) { return change_case(call, upper); }},
      {"zfill", zfill},
  };
  return methods;
}

}  // namespace

Value call_string_method(Rendering& rendering, const Text& text, const std::string& name,
                         const Arguments& arguments) {
  rendering.budget.step(1 + text.size() / 64);
  const Value result = string_methods().at(name)({rendering, text, name, arguments});
  return text.is_markup() && result.text() != nullptr ? result.text()->as_markup() : result;
}

bool has_string_method(const std::string& name) { return string_methods().count(name) > 0; }

}  // namespace outrider::jinja

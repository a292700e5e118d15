#include "runtime/jinja/strings.h"

#include <algorithm>

#include "runtime/jinja/python_characters.h"

namespace outrider::jinja {
namespace {

/// A part of a text as it is looked through, from its front or its end.
bool is_stripped(std::string_view one, std::optional<std::string_view> characters) {
  if (!characters) return is_space(first_character(one).code);
  return characters->find(one) != std::string_view::npos;
}

/// The offsets of white space and of what is between.
struct Word {
  std::size_t begin;
  std::size_t end;
};

std::vector<Word> words_of(std::string_view bytes) {
  std::vector<Word> words;
  bool inside = false;
  for (std::size_t at = 0; at < bytes.size();) {
    const Character next = first_character(bytes.substr(at));
    if (is_space(next.code)) {
      inside = false;
    } else if (inside) {
      words.back().end = at + next.size;
    } else {
      words.push_back({at, at + next.size});
      inside = true;
    }
    at += next.size;
  }
  return words;
}

bool ends_line(char32_t c) {
  return (c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 ||
         c == 0x2029;
}

}  // namespace

Text stripped(const Text& text, Side side, std::optional<std::string_view> characters) {
  const std::string_view bytes = text.bytes();
  const std::vector<std::size_t> offsets = character_offsets(bytes);
  std::size_t first = 0;
  std::size_t last = offsets.size() - 1;
  const auto drops = [&](std::size_t place) {
    return is_stripped(bytes.substr(offsets[place], offsets[place + 1] - offsets[place]),
                       characters);
  };
  while (side != Side::kRight && first < last && drops(first)) ++first;
  while (side != Side::kLeft && first < last && drops(last - 1)) --last;
  return text.part(offsets[first], offsets[last]);
}

Text recased(const Text& text, const std::function<std::string(char32_t, bool)>& change, bool words,
             Budget& budget) {
  budget.make(text.size());
  const std::string_view bytes = text.bytes();
  Text made;
  bool is_first = true;
  for (std::size_t at = 0; at < bytes.size();) {
    const Character next = first_character(bytes.substr(at));
    made.append_made(change(next.code, is_first), text, at, at + next.size);
    is_first = words && !is_letter(next.code);
    at += next.size;
  }
  return made;
}

Text upper(const Text& text, Budget& budget) {
  return recased(
      text, [](char32_t c, bool) { return upper_case(c); }, false, budget);
}

Text lower(const Text& text, Budget& budget) {
  return recased(
      text, [](char32_t c, bool) { return lower_case(c); }, false, budget);
}

Text capitalised(const Text& text, Budget& budget) {
  const auto change = [](char32_t c, bool is_first) {
    return is_first ? title_case(c) : lower_case(c);
  };
  return recased(text, change, false, budget);
}

Text replaced(const Text& text, const Text& from, const Text& to, long most, Budget& budget) {
  const std::string& bytes = text.bytes();
  Text made;
  budget.make(text.size());
  std::size_t done = 0;
  if (from.empty()) {  // between all characters, as in Python
    for (std::size_t at = 0; most != 0; --most) {
      budget.make(to.size());
      made.append(to);
      if (at == bytes.size()) return made;
      at += first_character(std::string_view(bytes).substr(at)).size;
      made.append_part(text, done, at);
      done = at;
    }
  }
  for (; most != 0; --most) {
    const std::size_t found = from.empty() ? bytes.npos : bytes.find(from.bytes(), done);
    if (found == bytes.npos) break;
    budget.make(to.size());
    made.append_part(text, done, found);
    made.append(to);
    done = found + from.size();
  }
  made.append_part(text, done, bytes.size());
  return made;
}

Text escaped_for_html(const Text& text, Budget& budget) {
  if (text.is_markup()) return text;
  Text escaped = text;
  for (const auto& [from, to] :
       {std::pair{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"'", "&#39;"}, {"\"", "&#34;"}}) {
    escaped = replaced(escaped, Text(from), Text(to), -1, budget);
  }
  return escaped.as_markup();
}

std::vector<Text> split_at(const Text& text, std::string_view separator, long most) {
  std::vector<Text> parts;
  std::size_t begin = 0;
  for (; most != 0; --most) {
    const std::size_t found = text.bytes().find(separator, begin);
    if (found == std::string::npos) break;
    parts.push_back(text.part(begin, found));
    begin = found + separator.size();
  }
  parts.push_back(text.part(begin, text.size()));
  return parts;
}

std::vector<Text> split_at_spaces(const Text& text, long most) {
  const std::vector<Word> words = words_of(text.bytes());
  std::vector<Text> parts;
  for (const Word& word : words) {
    const bool is_rest = most >= 0 && parts.size() == static_cast<std::size_t>(most);
    parts.push_back(text.part(word.begin, is_rest ? text.size() : word.end));
    if (is_rest) break;
  }
  return parts;
}

std::vector<Text> split_from_end(const Text& text, std::optional<std::string_view> separator,
                                 long most) {
  std::vector<Text> parts;
  std::size_t end = text.size();
  if (!separator) {
    const std::vector<Word> words = words_of(text.bytes());
    for (std::size_t i = words.size(); i-- > 0;) {
      const bool is_rest = most >= 0 && parts.size() == static_cast<std::size_t>(most);
      parts.push_back(text.part(is_rest ? 0 : words[i].begin, words[i].end));
      if (is_rest) break;
    }
    std::reverse(parts.begin(), parts.end());
    return parts;
  }
  for (; most != 0 && end >= separator->size(); --most) {
    const std::size_t found = text.bytes().rfind(*separator, end - separator->size());
    if (found == std::string::npos) break;
    parts.push_back(text.part(found + separator->size(), end));
    end = found;
  }
  parts.push_back(text.part(0, end));
  std::reverse(parts.begin(), parts.end());
  return parts;
}

std::vector<Text> lines_of(const Text& text, bool keep_ends) {
  const std::string_view bytes = text.bytes();
  std::vector<Text> lines;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    const Character next = first_character(bytes.substr(at));
    const std::size_t end = at;
    at += next.size;
    if (!ends_line(next.code)) continue;
    if (next.code == '\r' && bytes.substr(at).starts_with('\n')) ++at;
    lines.push_back(text.part(begin, keep_ends ? at : end));
    begin = at;
  }
  if (begin < bytes.size()) lines.push_back(text.part(begin, bytes.size()));
  return lines;
}

Text padded(const Text& text, std::size_t before, std::size_t after, const Text& fill,
            Budget& budget) {
  budget.make(text.size());
  budget.make(std::max(before, after) * fill.size());
  Text made;
  for (std::size_t i = 0; i < before; ++i) made.append(fill);
  made.append(text);
  for (std::size_t i = 0; i < after; ++i) made.append(fill);
  return made;
}

Text centred(const Text& text, long width, const Text& fill, Budget& budget) {
  const auto length = static_cast<long>(character_count(text.bytes()));
  if (width <= length) return text;
  const long pad = width - length;
  const long before = pad / 2 + (pad & width & 1);  // Python's rounding
  budget.make(static_cast<std::size_t>(pad));
  return padded(text, static_cast<std::size_t>(before), static_cast<std::size_t>(pad - before),
                fill, budget);
}

}  // namespace outrider::jinja

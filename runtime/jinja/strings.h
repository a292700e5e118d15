#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/jinja/budget.h"
#include "runtime/jinja/text.h"

namespace outrider::jinja {

// What Python's methods of strings and Jinja's filters share. Every result keeps what its parts were
// copied from.

enum class Side { kBoth, kLeft, kRight };

/// Without white space at its sides, or without any of `characters`.
Text stripped(const Text& text, Side side, std::optional<std::string_view> characters = {});

/// Every character changed by a function of it and of whether it is the first of a word's.
Text recased(const Text& text, const std::function<std::string(char32_t, bool is_first)>& change,
             bool words, Budget& budget);
Text upper(const Text& text, Budget& budget);
Text lower(const Text& text, Budget& budget);
/// The first character in capitals, the others in small letters.
Text capitalised(const Text& text, Budget& budget);

/// With the five characters of HTML escaped; what is markup already stays as it is.
Text escaped_for_html(const Text& text, Budget& budget);

/// @param most  replacements, negative: all
Text replaced(const Text& text, const Text& from, const Text& to, long most, Budget& budget);

/// At every occurrence of a separator, which is not empty, at most so often (negative: always).
std::vector<Text> split_at(const Text& text, std::string_view separator, long most);
/// At white space, whose runs count once.
std::vector<Text> split_at_spaces(const Text& text, long most);
/// The same from the end.
std::vector<Text> split_from_end(const Text& text, std::optional<std::string_view> separator,
                                 long most);
std::vector<Text> lines_of(const Text& text, bool keep_ends);

/// Padded to so many characters.
Text padded(const Text& text, std::size_t before, std::size_t after, const Text& fill,
            Budget& budget);
Text centred(const Text& text, long width, const Text& fill, Budget& budget);

}  // namespace outrider::jinja

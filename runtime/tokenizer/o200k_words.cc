#include <cstddef>

#include "runtime/tokenizer/characters.h"
#include "runtime/tokenizer/letter_case.h"
#include "runtime/tokenizer/utf8.h"
#include "runtime/tokenizer/word_parts.h"
#include "runtime/tokenizer/word_patterns.h"

namespace outrider::text {
namespace {

LetterCase case_at(std::string_view text, std::size_t i) {
  return i < text.size() ? letter_case(read_utf8(text.substr(i)).code_point) : LetterCase::kNeither;
}

bool in_first(LetterCase c) { return c == LetterCase::kUpper || c == LetterCase::kEither; }
bool in_second(LetterCase c) { return c == LetterCase::kLower || c == LetterCase::kEither; }

/// A run of characters that may be in the first part of a word, at the front of a text.
struct FirstRun {
  std::size_t end = 0;
  std::size_t second = 0;  // end of its last character that may be in the second part too; 0: none
};

FirstRun first_run(std::string_view text) {
  FirstRun run;
  while (run.end < text.size()) {
    const Utf8Step step = read_utf8(text.substr(run.end));
    const LetterCase kind = letter_case(step.code_point);
    if (!in_first(kind)) break;
    run.end += step.length;
    if (in_second(kind)) run.second = run.end;
  }
  return run;
}

/// [first]*[second]+: the first part as long as it can be for the second to have a character.
std::size_t ends_small(std::string_view text) {
  const FirstRun run = first_run(text);
  if (!in_second(case_at(text, run.end))) return run.second;
  std::size_t end = run.end;
  while (in_second(case_at(text, end))) end += read_utf8(text.substr(end)).length;
  return end;
}

/// The letters of a word, after at most one character that is no letter, number or end of line; or 0. Words that end in
/// small letters come first, even where one of capitals would be longer.
std::size_t cased_letters(std::string_view text, const Character& first) {
  const bool may_lead = first.kind != UnicodeClass::kLetter &&
                        first.kind != UnicodeClass::kNumber && !ends_line(text[0]);
  const std::string_view after = may_lead ? text.substr(first.length) : text;
  const std::size_t lead = text.size() - after.size();
  if (const std::size_t length = ends_small(after)) return lead + length;
  // A mark may lead, or be a letter itself.
  if (const std::size_t length = may_lead ? ends_small(text) : 0) return length;
  const std::size_t capitals = first_run(after).end;
  return capitals > 0 ? lead + capitals : 0;
}

std::size_t o200k_word_length(std::string_view text) {
  const Character first = character_at(text, 0);
  if (const std::size_t length = cased_letters(text, first))
    return length + any_case_contraction(text.substr(length));
  if (first.kind == UnicodeClass::kNumber) return digits(text, 3);
  const std::size_t lead = text[0] == ' ' ? 1 : 0;
  std::size_t end = lead + run_length(text.substr(lead), UnicodeClass::kOther);
  if (end == lead) return spaces_by_line(text);
  while (end < text.size() && (ends_line(text[end]) || text[end] == '/')) ++end;
  return end;
}

}  // namespace

void split_o200k_words(std::string_view text, std::vector<std::string_view>& words) {
  cut_words(text, words, o200k_word_length);
}

}  // namespace outrider::text

#include "runtime/tokenizer/normal_form.h"

#include <utf8proc.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "runtime/tokenizer/utf8.h"

namespace outrider::text {
namespace {

struct Range {
  char32_t first;
  char32_t last;  // inclusive
};

// Code points that utf8proc (Unicode 15) orders or composes and `tokenizers` 0.23 does not, ascending:
// found by comparing both for every code point.
constexpr Range kNewer[] = {
    {0x7FD, 0x7FD},     {0x898, 0x89F},     {0x8CA, 0x8D3},     {0x9FE, 0x9FE},
    {0xC3C, 0xC3C},     {0xD3B, 0xD3C},     {0xEBA, 0xEBA},     {0x1715, 0x1715},
    {0x1ABF, 0x1ACE},   {0x1DF6, 0x1DFA},   {0xA82C, 0xA82C},   {0x10D24, 0x10D27},
    {0x10EAB, 0x10EAC}, {0x10EFD, 0x10EFF}, {0x10F46, 0x10F50}, {0x10F82, 0x10F85},
    {0x11070, 0x11070}, {0x1133B, 0x1133B}, {0x1145E, 0x1145E}, {0x11839, 0x1183A},
    {0x11930, 0x11930}, {0x11935, 0x11935}, {0x1193D, 0x1193E}, {0x11943, 0x11943},
    {0x119E0, 0x119E0}, {0x11A34, 0x11A34}, {0x11A47, 0x11A47}, {0x11A99, 0x11A99},
    {0x11D42, 0x11D42}, {0x11D44, 0x11D45}, {0x11D97, 0x11D97}, {0x11F41, 0x11F42},
    {0x16FF0, 0x16FF1}, {0x1E08F, 0x1E08F}, {0x1E130, 0x1E136}, {0x1E2AE, 0x1E2AE},
    {0x1E2EC, 0x1E2EF}, {0x1E4EC, 0x1E4EF},
};

bool is_newer(char32_t code_point) {
  const auto* after =
      std::upper_bound(std::begin(kNewer), std::end(kNewer), code_point,
                       [](char32_t c, const Range& range) { return c < range.first; });
  return after != std::begin(kNewer) && code_point <= std::prev(after)->last;
}

constexpr auto kCompose = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE);

int combining_class(utf8proc_int32_t c) { return utf8proc_get_property(c)->combining_class; }

/// Puts each run of marks in the order of their classes. utf8proc would exchange neighbours, which takes the square of a
/// run's length.
void order_marks(std::vector<utf8proc_int32_t>& characters) {
  const auto is_mark = [](utf8proc_int32_t c) { return combining_class(c) != 0; };
  for (auto run = characters.begin(); run != characters.end();) {
    run = std::find_if(run, characters.end(), is_mark);
    const auto end = std::find_if_not(run, characters.end(), is_mark);
    std::stable_sort(run, end, [](utf8proc_int32_t a, utf8proc_int32_t b) {
      return combining_class(a) < combining_class(b);
    });
    run = end;
  }
}

/// The characters of a text, each in its parts.
std::vector<utf8proc_int32_t> decomposed(std::string_view text) {
  constexpr int kMostParts = 4;  // of a canonical decomposition
  std::vector<utf8proc_int32_t> characters;
  characters.reserve(text.size());
  int boundary = 0;  // of no interest
  for (std::size_t i = 0; i < text.size();) {
    const Utf8Step step = read_utf8(text.substr(i));
    utf8proc_int32_t parts[kMostParts];
    const auto count = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(step.code_point),
                                               parts, kMostParts, kCompose, &boundary);
    characters.insert(characters.end(), parts,
                      parts + std::clamp<utf8proc_ssize_t>(count, 0, kMostParts));
    i += step.length;
  }
  return characters;
}

void append_composed(std::string_view text, std::string& out) {
  std::vector<utf8proc_int32_t> characters = decomposed(text);
  order_marks(characters);
  const auto count = utf8proc_normalize_utf32(
      characters.data(), static_cast<utf8proc_ssize_t>(characters.size()), kCompose);
  characters.resize(static_cast<std::size_t>(count));
  for (const utf8proc_int32_t character : characters)
    append_utf8(static_cast<char32_t>(character), out);
}

}  // namespace

std::string normal_form_c(std::string_view text) {
  // Only U+0300 and above change, or change the characters before them.
  const auto may_change = [](char c) { return static_cast<unsigned char>(c) >= 0xCC; };
  if (std::none_of(text.begin(), text.end(), may_change)) return std::string(text);
  std::string out;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size();) {
    const Utf8Step step = read_utf8(text.substr(i));
    if (is_newer(step.code_point)) {
      append_composed(text.substr(begin, i - begin), out);
      out += text.substr(i, step.length);
      begin = i + step.length;
    }
    i += step.length;
  }
  append_composed(text.substr(begin), out);
  return out;
}

}  // namespace outrider::text

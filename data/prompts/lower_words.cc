#include "data/prompts/lower_words.h"

#include <utf8proc.h>

#include "runtime/tokenizer/utf8.h"

namespace outrider::data {
namespace {

bool is_of_a_word(utf8proc_int32_t character) {
  if (character == '_') return true;
  const utf8proc_category_t category = utf8proc_category(character);
  return (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO) ||
         (category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO);
}

}  // namespace

std::vector<std::string> lower_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  const auto end = [&] {
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
  };
  while (!text.empty()) {
    utf8proc_int32_t character = -1;
    const auto length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                         static_cast<utf8proc_ssize_t>(text.size()), &character);
    if (length <= 0) break;
    text.remove_prefix(static_cast<std::size_t>(length));
    if (is_of_a_word(character))
      text::append_utf8(static_cast<char32_t>(utf8proc_tolower(character)), word);
    else
      end();
  }
  end();
  return words;
}

}  // namespace outrider::data

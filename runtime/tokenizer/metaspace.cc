#include "runtime/tokenizer/metaspace.h"

#include <algorithm>

#include "runtime/tokenizer/normaliser.h"

namespace outrider::text {

std::string mark_spaces(std::string_view text, const Metaspace& metaspace, bool first) {
  std::string marked = replace_all(text, " ", kSpaceMark);
  const bool wanted = metaspace.prefix == Metaspace::Prefix::kAlways ||
                      (metaspace.prefix == Metaspace::Prefix::kFirst && first);
  return wanted && !marked.starts_with(kSpaceMark) ? kSpaceMark + marked : marked;
}

void split_at_marks(std::string_view text, std::vector<std::string_view>& words) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(kSpaceMark, 1), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

}  // namespace outrider::text

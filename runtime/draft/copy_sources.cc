#include "runtime/draft/copy_sources.h"

#include <algorithm>

namespace outrider::draft {

std::vector<int> copy_sources(std::span<const Token> text) {
  std::vector<int> sources;
  for (std::size_t j = 0; j + 1 < text.size(); ++j) {
    if (text[j] == text.back()) sources.push_back(static_cast<int>(j));
  }
  return sources;
}

std::span<const Token> copied(std::span<const Token> text, int source, int length) {
  const std::span<const Token> after = text.subspan(static_cast<std::size_t>(source) + 1);
  return after.first(std::min(after.size(), static_cast<std::size_t>(length)));
}

TokenTree copied_draft(std::span<const Token> text, int source, int length) {
  TokenTree tree(text.back());
  tree.add_chain(0, copied(text, source, length));
  return tree;
}

}  // namespace outrider::draft

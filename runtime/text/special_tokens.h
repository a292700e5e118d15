#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/text/prompt_text.h"
#include "runtime/text/tokenizer_spec.h"

namespace outrider::text {

/// Where a special token stands in a text.
struct SpecialMatch {
  std::size_t begin;
  std::size_t length;
  Token token;
};

/// Finds tokens that are written out in text, such as `<|im_end|>`: the leftmost, and of those that
/// begin there the longest.
class SpecialTokens {
 public:
  /// Looks for the tokens of kind user-defined, and with `control` also for control and unknown ones.
  SpecialTokens(const TokenizerSpec& spec, bool control);

  /// @param said  parts in which, even in one byte of which, no control token counts
  std::optional<SpecialMatch> find(std::string_view text, std::size_t from,
                                   std::span<const TextSpan> said = {}) const;

 private:
  struct Node {
    Token token = -1;      // the token that ends here, if any
    bool control = false;  // whether it is a control or unknown token
    std::vector<std::pair<char, std::size_t>> children;
  };
  std::size_t child(std::size_t node, char byte) const;  // 0, the root, if there is none

  std::vector<Node> nodes_;  // a trie over bytes; node 0 is its root
};

}  // namespace outrider::text

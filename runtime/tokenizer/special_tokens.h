#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/tokenizer/normaliser.h"
#include "runtime/tokenizer/prompt_text.h"
#include "runtime/tokenizer/tokenizer_spec.h"

namespace outrider::text {

/// Where a special token stands in a text.
struct SpecialMatch {
  std::size_t begin;
  std::size_t length;
  Token token;
};

/// A part of a text: a special token, or what lies between two of them.
struct TextPart {
  std::size_t begin;
  std::size_t end;
  Token token;  // -1: ordinary text
};

/// Finds tokens that are written out in text, such as `<|im_end|>`: the leftmost, and of those that
/// begin there the longest.
class SpecialTokens {
 public:
  /// Looks for the tokens of kind user-defined, and with `control` also for control and unknown ones.
  SpecialTokens(const TokenizerSpec& spec, bool control);

  /// Of those, the ones that are looked for before a text is normalised; or, in their own normal
  /// forms, those that are looked for after.
  static SpecialTokens before(const TokenizerSpec& spec, bool control);
  static SpecialTokens after(const TokenizerSpec& spec, bool control, const Normaliser& normaliser);

  bool empty() const { return nodes_.size() == 1; }

  /// @param said  parts in which, even in one byte of which, no control token counts
  std::optional<SpecialMatch> find(std::string_view text, std::size_t from,
                                   std::span<const TextSpan> said = {}) const;

  /// The parts of a text, each token taking the white space that its rules give it. None is empty.
  /// @param said  as for `find`
  std::vector<TextPart> split(std::string_view text, std::span<const TextSpan> said = {}) const;

 private:
  explicit SpecialTokens(const TokenizerSpec& spec) : nodes_(1), rules_(spec.added_rules) {}

  void add(std::string_view written, Token token, bool control);

  struct Node {
    Token token = -1;      // the token that ends here, if any
    bool control = false;  // whether it is a control or unknown token
    std::vector<std::pair<char, std::size_t>> children;
  };
  std::size_t child(std::size_t node, char byte) const;  // 0, the root, if there is none

  std::vector<Node> nodes_;  // a trie over bytes; node 0 is its root
  std::map<Token, AddedTokenRules> rules_;
};

}  // namespace outrider::text

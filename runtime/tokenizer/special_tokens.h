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

/// A special token found in a text.
struct SpecialMatch {
  std::size_t begin;
  std::size_t length;
  Token token;
};

/// A part of a text: a special token, or the text between two of them.
struct TextPart {
  std::size_t begin;
  std::size_t end;
  Token token;  // -1: ordinary text
};

/// Finds tokens written out in text, such as `<|im_end|>`: the leftmost, and the longest of those that
/// begin there.
class SpecialTokens {
 public:
  /// Finds user-defined tokens, and with `control` also control and unknown ones.
  SpecialTokens(const TokenizerSpec& spec, bool control);

  /// The special tokens found before a text is normalised; or after it, in their own normal forms.
  static SpecialTokens before(const TokenizerSpec& spec, bool control);
  static SpecialTokens after(const TokenizerSpec& spec, bool control, const Normaliser& normaliser);

  bool empty() const { return nodes_.size() == 1; }

  /// @param literals  parts of the text; control tokens that overlap one are not matched
  std::optional<SpecialMatch> find(std::string_view text, std::size_t from,
                                   std::span<const TextSpan> literals = {}) const;

  /// The parts of a text, none empty; tokens include the white space given by their rules.
  /// @param literals  as for `find`
  std::vector<TextPart> split(std::string_view text, std::span<const TextSpan> literals = {}) const;

 private:
  explicit SpecialTokens(const TokenizerSpec& spec) : nodes_(1), rules_(spec.added_rules) {}

  void add(std::string_view written, Token token, bool control);

  struct Node {
    Token token = -1;      // the token that ends here, if any
    bool control = false;  // it is a control or unknown token
    std::vector<std::pair<char, std::size_t>> children;
  };
  std::size_t child(std::size_t node, char byte) const;  // 0, the root, if there is none

  std::vector<Node> nodes_;  // a trie over bytes; node 0 is its root
  std::map<Token, AddedTokenRules> rules_;
};

}  // namespace outrider::text

#include "runtime/model/same_tokenizer.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runtime/base/error.h"
#include "runtime/base/json_text.h"

namespace outrider::model {
namespace {

/// GGUF marks the unknown token by a kind of its own, which folders take for any special token.
bool is_special(text::TokenKind kind) {
  return kind == text::TokenKind::kControl || kind == text::TokenKind::kUnknown;
}

bool is_special(const text::TokenizerSpec& spec, std::size_t token) {
  return is_special(spec.kinds[token]);
}

/// Whether an id is padding, added so that the number of tokens is a round one, or none.
bool is_padding(const text::TokenizerSpec& spec, std::size_t token) {
  return token >= spec.tokens.size() || spec.kinds[token] == text::TokenKind::kUnused;
}

/// Whether an id is the same token for both models, or one of them never has it.
bool agree(const text::TokenizerSpec& expected, const text::TokenizerSpec& found,
           std::size_t token) {
  if (is_padding(expected, token) && is_padding(found, token)) return true;
  // A special token that only one of them has is never drafted, or read as another.
  if (is_padding(expected, token)) return found.kinds[token] != text::TokenKind::kNormal;
  if (is_padding(found, token)) return expected.kinds[token] != text::TokenKind::kNormal;
  return expected.tokens[token] == found.tokens[token] &&
         is_special(expected, token) == is_special(found, token);
}

/// A token's text in quotes, on one line.
std::string shown(const text::TokenizerSpec& spec, std::size_t token) {
  if (token >= spec.tokens.size()) return "no token";
  const nlohmann::json text = spec.tokens[token];
  return json_text(text) + (is_special(spec, token) ? " (special)" : "");
}

}  // namespace

void check_same_tokenizer(const Model& target, const Model& draft) {
  const text::TokenizerSpec& expected = target.tokenizer;
  const text::TokenizerSpec& found = draft.tokenizer;
  const std::size_t all = std::max(expected.tokens.size(), found.tokens.size());
  std::size_t token = 0;
  while (token < all && agree(expected, found, token)) ++token;
  if (token == all) return;
  throw InputError(
      fmt::format("{}: its tokens differ from those of the target {} ({} and {} tokens): token {} "
                  "is expected to be {}, found {}; a draft model needs the target's own tokens",
                  draft.path.string(), target.path.string(), found.tokens.size(),
                  expected.tokens.size(), token, shown(expected, token), shown(found, token)));
}

}  // namespace outrider::model

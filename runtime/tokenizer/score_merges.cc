#include "runtime/tokenizer/score_merges.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>

#include "runtime/base/error.h"
#include "runtime/tokenizer/utf8.h"

namespace outrider::text {
namespace {

constexpr std::size_t kLongestToken =
    1024;  // bytes; SentencePiece's default limit is 16 characters

/// Each token's rank: the number of distinct scores above its own.
std::vector<std::int32_t> ranks_of(const std::vector<float>& scores) {
  std::vector<float> order(scores);
  std::sort(order.begin(), order.end(), std::greater<>());
  order.erase(std::unique(order.begin(), order.end()), order.end());
  std::vector<std::int32_t> ranks;
  ranks.reserve(scores.size());
  for (const float score : scores) {
    const auto found = std::lower_bound(order.begin(), order.end(), score, std::greater<>());
    ranks.push_back(static_cast<std::int32_t>(found - order.begin()));
  }
  return ranks;
}

/// Numbers tokens, and characters that are not tokens.
class Symbols {
 public:
  explicit Symbols(const BpeVocabulary& vocabulary) : vocabulary_(vocabulary) {}

  /// -1 if the text is not a symbol.
  Token find(std::string_view text) {
    if (const auto token = vocabulary_.find(text); token != vocabulary_.end()) return token->second;
    const Utf8Step step = read_utf8(text);
    if (step.length != text.size()) return -1;
    const auto next = static_cast<Token>(vocabulary_.size() + characters_.size());
    const auto [known, added] = numbers_.emplace(step.code_point, next);
    if (added) characters_.emplace_back(text);
    return known->second;
  }

  const std::vector<std::string>& characters() const { return characters_; }

 private:
  const BpeVocabulary& vocabulary_;
  std::unordered_map<char32_t, Token> numbers_;
  std::vector<std::string> characters_;
};

struct Pair {
  Token left;
  Token right;
  Merge merge;
};

/// Appends every split of the token into two symbols.
void add_splits(std::string_view token, Merge merge, Symbols& symbols, std::vector<Pair>& pairs) {
  for (std::size_t i = read_utf8(token).length; i < token.size();) {
    const Token left = symbols.find(token.substr(0, i));
    const Token right = left < 0 ? -1 : symbols.find(token.substr(i));
    if (right >= 0) pairs.push_back({left, right, merge});
    i += read_utf8(token.substr(i)).length;
  }
}

/// Whether text can be merged into a token of this kind. In SentencePiece other kinds are never made from
/// text: `<s>` or `<0x0A>` typed by a user stays text, even if "<s" is a token.
bool is_piece(TokenKind kind) {
  return kind != TokenKind::kUnknown && kind != TokenKind::kControl && kind != TokenKind::kByte;
}

void check(const TokenizerSpec& spec) {
  if (spec.scores.size() != spec.tokens.size()) {
    throw InputError(fmt::format("the tokenizer has {} tokens, but {} scores", spec.tokens.size(),
                                 spec.scores.size()));
  }
  for (std::size_t i = 0; i < spec.tokens.size(); ++i) {
    if (!std::isfinite(spec.scores[i])) {
      throw InputError(fmt::format("the score of token {} ('{}') is {}; expected a number", i,
                                   spec.tokens[i], spec.scores[i]));
    }
    if (spec.tokens[i].size() > kLongestToken) {
      throw InputError(fmt::format("token {} has {} bytes; expected at most {}", i,
                                   spec.tokens[i].size(), kLongestToken));
    }
  }
}

}  // namespace

ScoreMerges score_merges(const TokenizerSpec& spec, const BpeVocabulary& vocabulary) {
  check(spec);
  const std::vector<std::int32_t> ranks = ranks_of(spec.scores);
  Symbols symbols(vocabulary);
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < spec.tokens.size(); ++i) {
    if (spec.tokens[i].empty() || !is_piece(spec.kinds[i])) continue;
    add_splits(spec.tokens[i], {ranks[i], static_cast<Token>(i)}, symbols, pairs);
  }
  MergeTable table(pairs.size());
  for (const Pair& pair : pairs) table.add(pair.left, pair.right, pair.merge);
  return {std::move(table), symbols.characters()};
}

}  // namespace outrider::text

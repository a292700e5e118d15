#include "runtime/text/special_tokens.h"

#include <algorithm>
#include <string>

namespace outrider::text {
namespace {

bool touches(std::span<const TextSpan> spans, std::size_t begin, std::size_t end) {
  const auto after =
      std::upper_bound(spans.begin(), spans.end(), begin,
                       [](std::size_t at, const TextSpan& span) { return at < span.end; });
  return after != spans.end() && after->begin < end;
}

}  // namespace

SpecialTokens::SpecialTokens(const TokenizerSpec& spec, bool control) : nodes_(1) {
  for (std::size_t i = 0; i < spec.tokens.size(); ++i) {
    const TokenKind kind = spec.kinds[i];
    const bool hidden = kind == TokenKind::kControl || kind == TokenKind::kUnknown;
    if (kind != TokenKind::kUserDefined && !(control && hidden)) continue;
    if (spec.tokens[i].empty()) continue;
    std::size_t node = 0;
    for (const char byte : spec.tokens[i]) {
      std::size_t next = child(node, byte);
      if (next == 0) {
        next = nodes_.size();
        nodes_.emplace_back();
        nodes_[node].children.emplace_back(byte, next);
      }
      node = next;
    }
    nodes_[node].token = static_cast<Token>(i);
    nodes_[node].control = hidden;
  }
}

std::size_t SpecialTokens::child(std::size_t node, char byte) const {
  for (const auto& [label, next] : nodes_[node].children) {
    if (label == byte) return next;
  }
  return 0;
}

std::optional<SpecialMatch> SpecialTokens::find(std::string_view text, std::size_t from,
                                                std::span<const TextSpan> said) const {
  for (std::size_t begin = from; begin < text.size(); ++begin) {
    SpecialMatch longest{begin, 0, -1};
    std::size_t node = 0;
    for (std::size_t end = begin; end < text.size(); ++end) {
      node = child(node, text[end]);
      if (node == 0) break;
      if (nodes_[node].token < 0) continue;
      if (nodes_[node].control && touches(said, begin, end + 1)) continue;
      longest = {begin, end - begin + 1, nodes_[node].token};
    }
    if (longest.length > 0) return longest;
  }
  return std::nullopt;
}

}  // namespace outrider::text

#include "runtime/tokenizer/special_tokens.h"

#include <algorithm>
#include <string>

#include "runtime/tokenizer/word_edges.h"

namespace outrider::text {
namespace {

bool is_control(TokenKind kind) {
  return kind == TokenKind::kControl || kind == TokenKind::kUnknown;
}

bool is_special(TokenKind kind, bool control) {
  return kind == TokenKind::kUserDefined || (control && is_control(kind));
}

bool touches(std::span<const TextSpan> spans, std::size_t begin, std::size_t end) {
  const auto after =
      std::upper_bound(spans.begin(), spans.end(), begin,
                       [](std::size_t at, const TextSpan& span) { return at < span.end; });
  return after != spans.end() && after->begin < end;
}

bool is_normalized(const TokenizerSpec& spec, Token token) {
  const auto rules = spec.added_rules.find(token);
  return rules != spec.added_rules.end() && rules->second.normalized;
}

}  // namespace

SpecialTokens::SpecialTokens(const TokenizerSpec& spec, bool control) : SpecialTokens(spec) {
  for (std::size_t i = 0; i < spec.tokens.size(); ++i) {
    if (is_special(spec.kinds[i], control))
      add(spec.tokens[i], static_cast<Token>(i), is_control(spec.kinds[i]));
  }
}

SpecialTokens SpecialTokens::before(const TokenizerSpec& spec, bool control) {
  SpecialTokens made(spec);
  for (std::size_t i = 0; i < spec.tokens.size(); ++i) {
    const auto token = static_cast<Token>(i);
    if (!is_special(spec.kinds[i], control) || is_normalized(spec, token)) continue;
    made.add(spec.tokens[i], token, is_control(spec.kinds[i]));
  }
  return made;
}

SpecialTokens SpecialTokens::after(const TokenizerSpec& spec, bool control,
                                   const Normaliser& normaliser) {
  SpecialTokens made(spec);
  for (const auto& [token, rules] : spec.added_rules) {
    const auto i = static_cast<std::size_t>(token);
    if (!is_special(spec.kinds[i], control) || !rules.normalized) continue;
    std::string storage;
    made.add(normaliser.apply(spec.tokens[i], storage), token, is_control(spec.kinds[i]));
  }
  return made;
}

void SpecialTokens::add(std::string_view written, Token token, bool control) {
  if (written.empty()) return;
  std::size_t node = 0;
  for (const char byte : written) {
    std::size_t next = child(node, byte);
    if (next == 0) {
      next = nodes_.size();
      nodes_.emplace_back();
      nodes_[node].children.emplace_back(byte, next);
    }
    node = next;
  }
  nodes_[node].token = token;
  nodes_[node].control = control;
}

std::size_t SpecialTokens::child(std::size_t node, char byte) const {
  for (const auto& [label, next] : nodes_[node].children) {
    if (label == byte) return next;
  }
  return 0;
}

std::optional<SpecialMatch> SpecialTokens::find(std::string_view text, std::size_t from,
                                                std::span<const TextSpan> literals) const {
  for (std::size_t begin = from; begin < text.size(); ++begin) {
    SpecialMatch longest{begin, 0, -1};
    std::size_t node = 0;
    for (std::size_t end = begin; end < text.size(); ++end) {
      node = child(node, text[end]);
      if (node == 0) break;
      if (nodes_[node].token < 0) continue;
      if (nodes_[node].control && touches(literals, begin, end + 1)) continue;
      longest = {begin, end - begin + 1, nodes_[node].token};
    }
    if (longest.length > 0) return longest;
  }
  return std::nullopt;
}

std::vector<TextPart> SpecialTokens::split(std::string_view text,
                                           std::span<const TextSpan> literals) const {
  std::vector<TextPart> parts;
  std::size_t done = 0;
  std::size_t from = 0;
  while (const auto match = find(text, from, literals)) {
    std::size_t begin = match->begin;
    std::size_t end = from = begin + match->length;
    if (const auto found = rules_.find(match->token); found != rules_.end()) {
      const AddedTokenRules& rules = found->second;
      if (rules.single_word && (word_ends_at(text, begin) || word_begins_at(text, end))) continue;
      if (rules.lstrip && done < begin)
        begin = done + trimmed_length(text.substr(done, begin - done));
      // The previous token's white space may contain this one.
      if (rules.rstrip) end = end < done ? done : end + leading_spaces(text.substr(end));
    }
    if (done < begin) parts.push_back({done, begin, -1});
    parts.push_back({begin, end, match->token});
    done = end;
  }
  if (done < text.size()) parts.push_back({done, text.size(), -1});
  return parts;
}

}  // namespace outrider::text

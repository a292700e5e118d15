#pragma once

#include <vector>

namespace outrider::decode {

/// A stretch of a text that was copied from its prompt; in tokens.
struct CopiedSpan {
  int begin;   // in the answer, whose first token is 0
  int end;     // after its last token
  int source;  // position in the prompt of its first token; the others follow there
};

/// Finds which tokens of an answer were copied from the prompt, and from which positions, by the origins
/// of its accepted drafts. Drafts of which one continues the source of the one before form one span,
/// together with the target's own token between them, and so do a draft and the token before it, since drafters
/// continue an occurrence of that token (beyond the paper). A token copied from an earlier copy in the answer
/// counts as copied from the prompt; one copied from the answer's own words does not.
/// PLD+ (Somasundaram et al. 2024), appendix D.
class Attribution {
 public:
  /// @param prompt_tokens  everything before the answer
  /// @param min_span       length in tokens of the shortest span that counts
  Attribution(int prompt_tokens, int min_span) : prompt_(prompt_tokens), min_span_(min_span) {}

  /// The answer's next token. @param source  the position it was copied from, or draft::Origin::kNone
  void push(int source);

  /// The spans so far of at least the shortest length, in order.
  std::vector<CopiedSpan> spans() const;
  /// Number of leading tokens of the answer whose span, or none, no later token can change.
  int decided() const;

 private:
  /// The prompt's position that a position of prompt and answer has its token from, or draft::Origin::kNone.
  int origin_of(int source) const;
  bool is_short(const CopiedSpan& span) const { return span.end - span.begin < min_span_; }

  int prompt_;
  int min_span_;
  std::vector<int> origins_;       // [tokens of the answer] positions in the prompt
  std::vector<CopiedSpan> spans_;  // only the last one may be short
};

}  // namespace outrider::decode

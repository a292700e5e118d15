#pragma once

#include <vector>

namespace outrider::decode {

/// A stretch of a text that was copied from its prompt; in tokens.
struct CopiedSpan {
  int begin;   // in the answer, whose first token is 0
  int end;     // behind its last token
  int source;  // where in the prompt its first token stands; the others follow it there
};

/// Says of an answer which of its tokens were copied from the prompt and from where, as its kept drafts
/// tell. Drafts that copy on where the one before ended are one span, with the token between them that
/// the target's own pass yielded. What was copied from an earlier copy in the answer comes from the
/// prompt; what was copied from the answer's own words does not.
/// PLD+ (Somasundaram et al. 2024), appendix D.
class Attribution {
 public:
  /// @param prompt_tokens  everything before the answer
  /// @param min_span       tokens of the shortest span that counts
  Attribution(int prompt_tokens, int min_span) : prompt_(prompt_tokens), min_span_(min_span) {}

  /// The answer's next token. @param source  the position it was copied from, or draft::Origin::kNone
  void push(int source);

  /// Those of at least the shortest length so far, in order.
  std::vector<CopiedSpan> spans() const;
  /// The first so many tokens of the answer will stay in their span, or outside of all.
  int decided() const;

 private:
  bool is_short(const CopiedSpan& span) const { return span.end - span.begin < min_span_; }

  int prompt_;
  int min_span_;
  std::vector<int> origins_;       // of the answer's tokens, in the prompt
  std::vector<CopiedSpan> spans_;  // only the last one may be short
};

}  // namespace outrider::decode

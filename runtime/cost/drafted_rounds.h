#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "runtime/cost/trial.h"
#include "runtime/draft/stop/stop_policy.h"

namespace outrider::cost {

/// The token that a draft model would draft at each position of a text, given the text's own tokens before it; spans
/// of one length.
struct DraftedText {
  std::span<const std::uint8_t> counted;   // 0: in a loop
  std::span<const std::uint8_t> accepted;  // whether it is the text's own token
  std::span<const float> score;            // drafting continues above a threshold
};

/// When a round ends.
struct RoundEnd {
  int length;           // tokens at most
  double least;         // score of a token below which none follows it
  bool of_sum = false;  // of the sum of the round's scores so far instead
};

/// Called for each round. @param tokens  that it adds to the text, the target's own included
using OnRound = std::function<void(int drafted, int accepted, int tokens)>;

/// The rounds that decoding would take, those that begin in loops left out. Of tokens after one that is not
/// accepted, the score is taken to be what it is after the target's tokens.
void for_each_round(const DraftedText& text, const RoundEnd& end, const OnRound& on_round);
/// The rounds that a policy ends, which is given the score in place of log q, and no logits.
/// @param longest  tokens of a round at most
void for_each_round(const DraftedText& text, draft::StopPolicy& policy, int longest,
                    const OnRound& on_round);

/// What rounds with this end sum to, of a draft model that drafts token by token.
TrialCounts count_rounds(std::span<const DraftedText> texts, const RoundEnd& end);
/// The same of rounds that a policy ends.
TrialCounts count_rounds(std::span<const DraftedText> texts, draft::StopPolicy& policy,
                         int longest);
/// The same of rounds that draft exactly the accepted tokens, or none.
TrialCounts count_oracle_rounds(std::span<const DraftedText> texts);

}  // namespace outrider::cost

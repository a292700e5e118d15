#include "runtime/cost/drafted_rounds.h"

#include <algorithm>

#include "runtime/cost/agreed_rounds.h"
#include "runtime/draft/stop/least_score.h"

namespace outrider::cost {
namespace {

void add_round(int drafted, int tokens, TrialCounts& sums) {
  ++sums.rounds;
  sums.tokens += tokens;
  sums.drafted += drafted;
  sums.verified.add(1 + drafted);
  sums.drafting.add(1, drafted);
}

/// Stops by the score, which it sees in place of log q.
class ByScore : public draft::StopPolicy {
 public:
  explicit ByScore(const RoundEnd& end) : least_(end.least, end.of_sum) {}
  bool stops(const draft::DraftedToken& last) override {
    return least_.ends(last.number, static_cast<double>(last.log_q));
  }

 private:
  draft::LeastScore least_;
};

}  // namespace

void for_each_round(const DraftedText& text, const RoundEnd& end, const OnRound& on_round) {
  ByScore policy(end);
  for_each_round(text, policy, end.length, on_round);
}

void for_each_round(const DraftedText& text, draft::StopPolicy& policy, int longest,
                    const OnRound& on_round) {
  policy.start();
  const std::size_t size = text.counted.size();
  for (std::size_t next = 0; next < size;) {
    if (text.counted[next] == 0) {
      ++next;
      continue;
    }
    std::size_t stop = next;  // of what counts
    while (stop < size && text.counted[stop] != 0) ++stop;
    // The target adds a token of its own, which is never past the text's end.
    const std::size_t most = std::min(static_cast<std::size_t>(longest), size - next - 1);
    std::size_t drafted = 0, accepted = 0;
    while (drafted < most) {
      const std::size_t at = next + drafted;
      if (accepted == drafted && text.accepted[at] != 0) ++accepted;
      ++drafted;
      if (policy.stops({static_cast<int>(drafted), text.score[at], static_cast<std::int64_t>(at)}))
        break;
    }
    policy.verified(static_cast<int>(drafted), static_cast<int>(accepted));
    const std::size_t tokens = std::min(accepted + 1, stop - next);
    on_round(static_cast<int>(drafted), static_cast<int>(accepted), static_cast<int>(tokens));
    next += tokens;
  }
}

TrialCounts count_rounds(std::span<const DraftedText> texts, const RoundEnd& end) {
  ByScore policy(end);
  return count_rounds(texts, policy, end.length);
}

TrialCounts count_rounds(std::span<const DraftedText> texts, draft::StopPolicy& policy,
                         int longest) {
  TrialCounts sums;
  for (const DraftedText& text : texts)
    for_each_round(text, policy, longest,
                   [&](int drafted, int, int tokens) { add_round(drafted, tokens, sums); });
  return sums;
}

TrialCounts count_oracle_rounds(std::span<const DraftedText> texts) {
  TrialCounts sums;
  for (const DraftedText& text : texts) {
    const std::size_t size = text.counted.size();
    // As above the last token is the target's own.
    const auto is_accepted = [&](std::size_t begin, std::size_t accepted) {
      const std::size_t at = begin + accepted;
      return at + 1 < size && text.counted[at] != 0 && text.counted[at + 1] != 0 &&
             text.accepted[at] != 0;
    };
    for (const auto& [begin, accepted] : agreed_rounds(size, is_accepted))
      if (text.counted[begin] != 0)
        add_round(static_cast<int>(accepted), static_cast<int>(accepted) + 1, sums);
  }
  return sums;
}

}  // namespace outrider::cost

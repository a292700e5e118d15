#include "runtime/cost/drafted_rounds.h"

#include <algorithm>

#include "runtime/cost/agreed_rounds.h"
#include "runtime/draft/stop/least_score.h"

namespace outrider::cost {
namespace {

/// All rounds with one threshold and length.
struct RoundSums {
  std::int64_t rounds = 0, tokens = 0, drafted = 0;
  double seconds = 0;

  static double share(std::int64_t part, std::int64_t whole) {
    return static_cast<double>(part) / static_cast<double>(whole);
  }
};

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

void predict_rounds(std::span<const DraftedText> texts, std::span<const double> least,
                    const PassSeconds& pass_seconds, double draft_seconds,
                    DraftSettings& settings) {
  settings.plain_tokens_per_second = 1 / pass_seconds(1);
  std::vector<double> seconds_of;  // by drafted tokens
  for (int drafted = 0; drafted <= settings.draft_lengths.back(); ++drafted)
    seconds_of.push_back(pass_seconds(drafted + 1) + drafted * draft_seconds);
  for (std::size_t row = 0; row < least.size(); ++row) {
    for (const std::int32_t length : settings.draft_lengths) {
      RoundSums all;
      for (const DraftedText& text : texts)
        for_each_round(text, {length, least[row], settings.is_along_path(row)},
                       [&](int drafted, int, int tokens) {
                         ++all.rounds;
                         all.tokens += tokens;
                         all.drafted += drafted;
                         all.seconds += seconds_of[static_cast<std::size_t>(drafted)];
                       });
      const bool none = all.rounds == 0;
      settings.tokens_per_round.push_back(none ? 1 : RoundSums::share(all.tokens, all.rounds));
      settings.drafted_per_round.push_back(none ? 0 : RoundSums::share(all.drafted, all.rounds));
      settings.tokens_per_second.push_back(none ? settings.plain_tokens_per_second
                                                : static_cast<double>(all.tokens) / all.seconds);
    }
  }
}

double predict_policy(std::span<const DraftedText> texts, draft::StopPolicy& policy, int longest,
                      const PassSeconds& pass_seconds, double draft_seconds) {
  std::int64_t all_tokens = 0;
  double seconds = 0;
  for (const DraftedText& text : texts)
    for_each_round(text, policy, longest, [&](int drafted, int, int tokens) {
      all_tokens += tokens;
      seconds += pass_seconds(drafted + 1) + drafted * draft_seconds;
    });
  return seconds > 0 ? static_cast<double>(all_tokens) / seconds : 1 / pass_seconds(1);
}

double predict_oracle(std::span<const DraftedText> texts, const PassSeconds& pass_seconds,
                      double draft_seconds) {
  std::int64_t tokens = 0;
  double seconds = 0;
  for (const DraftedText& text : texts) {
    const std::size_t size = text.counted.size();
    // As above the last token is the target's own.
    const auto is_accepted = [&](std::size_t begin, std::size_t accepted) {
      const std::size_t at = begin + accepted;
      return at + 1 < size && text.counted[at] != 0 && text.counted[at + 1] != 0 &&
             text.accepted[at] != 0;
    };
    for (const auto& [begin, accepted] : agreed_rounds(size, is_accepted)) {
      if (text.counted[begin] == 0) continue;
      const int drafted = static_cast<int>(accepted);
      tokens += drafted + 1;
      seconds += pass_seconds(drafted + 1) + drafted * draft_seconds;
    }
  }
  return seconds > 0 ? static_cast<double>(tokens) / seconds : 1 / pass_seconds(1);
}

}  // namespace outrider::cost

#pragma once

#include <vector>

#include "calibrate/pld_plus/answer.h"
#include "calibrate/pld_plus/copy_replay.h"
#include "runtime/draft/attention_ranking.h"

namespace outrider::calibrate {

/// One way to choose heads and to make one number of their attention, and what it gave.
struct HeadChoice {
  static constexpr int kRanked = 0;
  int layer = kRanked;  // all heads of this layer, or the first `count` of the ranking
  int count = 0;
  draft::Aggregation aggregation = draft::Aggregation::kMax;
  Replay replay = {};
};

/// The numbers of heads that are tried of `heads`: 1, 2, 3, 5, 8, 13, 20, … and all.
std::vector<int> head_counts(int heads);

/// Replays PLD+ (a) over answers for every choice of heads at once: the best n of a ranking, and whole
/// layers, by the largest attention and by the sum. The paper's figure 3.
class HeadSweep {
 public:
  /// @param ranking  every head of the target, once
  HeadSweep(engine::Engine& target, std::vector<engine::Taps::Head> ranking, int draft_length);

  void add(const Answer& answer);

  /// Ranked ones by count, then layers; of each max, then sum.
  const std::vector<HeadChoice>& choices() const { return choices_; }
  /// The ranked choice with the most tokens per pass; the fewest heads among equals.
  const HeadChoice& best() const;
  /// The same answers with other drafts. @param choice  one of `choices`
  Replay replay(const HeadChoice& choice, int draft_length) const;

 private:
  void chances_at(const Answer& answer, int t, int row);

  engine::Engine& target_;
  engine::Taps taps_;
  int draft_length_;
  std::vector<HeadChoice> choices_;
  /// [choice][answer][position of the answer but the last]
  std::vector<std::vector<std::vector<CopyChance>>> table_;
};

}  // namespace outrider::calibrate

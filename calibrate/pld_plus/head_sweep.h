#pragma once

#include <vector>

#include "calibrate/pld_plus/copied_tokens.h"
#include "calibrate/pld_plus/copy_table.h"
#include "calibrate/pld_plus/head_search.h"
#include "runtime/draft/copy/attention_ranking.h"
#include "runtime/draft/copy/pld_plus_heads.h"

namespace outrider::calibrate {

/// A selection of heads and the aggregation of their attention.
struct HeadChoice {
  static constexpr int kRanked = 0;
  int layer = kRanked;  // all heads of this layer, or the first `count` of the ranking
  int count = 0;
  draft::Aggregation aggregation = draft::Aggregation::kMax;
};

/// The numbers of heads to compare: 1, 2, 3, 5, 8, 13, 20, … and all `heads`.
std::vector<int> head_counts(int heads);

/// The paper's figure 3: the best n of a ranking, by n, then whole layers; each with max, then sum.
std::vector<HeadChoice> head_choices(const model::ModelConfig& config);

/// Forwards answers once and records the sources of PLD+ (a) for many choices of heads.
class HeadSweep {
 public:
  /// @param ranking  no head twice; every head of the target where a choice is a layer
  /// @param choices  those of the ranking first, by count
  HeadSweep(engine::Engine& target, std::vector<engine::Head> ranking,
            std::vector<HeadChoice> choices, int branches = 1);

  /// @param counted  counts the answer's copied tokens in the same passes; nullptr: none
  void add(const Answer& answer, HeadSearch* counted = nullptr);

  const std::vector<HeadChoice>& choices() const { return choices_; }
  /// A ranking for each choice.
  const CopyTable& table() const { return table_; }
  CopyTable& table() { return table_; }

 private:
  /// @param row  of the pass, whose attention ranks the sources for the token after position t
  void note(const Answer& answer, int t, const engine::Pass& pass, int row);

  engine::Engine& target_;
  std::vector<engine::Head> ranking_;
  std::vector<HeadChoice> choices_;
  CopyTable table_;
};

/// Records the tokens per pass of every choice and the best of the ranking: the first on a tie.
/// @return the index of the best
std::size_t note_sweep(const HeadSweep& sweep, int draft_length, draft::PldPlusHeads& found);

}  // namespace outrider::calibrate

#pragma once

#include <functional>

#include "calibrate/parallelspec/recorded_levels.h"
#include "calibrate/replay/text_rounds.h"
#include "runtime/cost/trial.h"
#include "runtime/draft/parallelspec/level_growth.h"
#include "runtime/draft/parallelspec/parallelspec_model.h"

namespace outrider::calibrate {

/// A round of drafting and verification.
struct TreeRound {
  std::size_t position = 0;  // of its first drafted token
  int drafted = 0;           // nodes
  int accepted = 0;
  int tokens = 0;  // that it adds to the text
};

/// Replays drafting with one form of trees from recorded depths, with the code that parallel drafters draft with,
/// and verifies the drafts against the text: the rounds of decoding with it, without passes.
class ParallelSpecReplay : private draft::Levels {
 public:
  /// @param model  whose depths were recorded; must outlive it
  ParallelSpecReplay(draft::LevelShape shape, const draft::ParallelSpecModel& model);

  /// The rounds from the first recorded position to the last, each where the one before has ended.
  void run(const RecordedLevels& recorded, cost::TrialCounts& sums,
           const std::function<void(const TreeRound&)>& on_round = {});

 private:
  TreeRound round(std::size_t position, std::size_t end);
  void add_passes(int unread, cost::TrialCounts& sums) const;
  double reach(int depth, const draft::TokenTree& tree, std::span<const int> level) override;
  std::span<const sampling::RankedToken> draw(const draft::TokenTree& tree, int node,
                                              int width) override;
  void rank_likely(const draft::TokenTree& tree, int node, int width,
                   std::vector<draft::LikelyToken>& likely) override;
  /// What decoding would note of a node.
  float log_q(const draft::TokenTree& /*tree*/, int /*node*/, Token /*token*/) override {
    return 0;
  }

  draft::LevelShape shape_;
  const draft::ParallelSpecModel& model_;
  draft::LevelGrowth growth_;
  draft::TokenTree tree_ = draft::TokenTree(0);
  TextRounds rounds_;

  const RecordedLevels* recorded_ = nullptr;
  // State of the round.
  std::size_t position_ = 0;
  const draft::RankedDepth* level_ = nullptr;
  std::vector<sampling::RankedToken> ranked_;
  int reached_ = 0;  // depths, the one that was not probable enough included
};

}  // namespace outrider::calibrate

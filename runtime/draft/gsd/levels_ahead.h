#pragma once

#include <span>
#include <vector>

#include "runtime/draft/gsd/node_ranking.h"
#include "runtime/draft/model/tree_passes.h"

namespace outrider::draft {

/// Levels of a tree that a device drafts ahead of its growth: after some nodes the most probable few of each level, in one
/// request. They are a guess at what will be opened. What is opened finds its row and what may follow it here, if it was
/// guessed; what was not is forwarded as without guesses, and what was guessed in vain has cost its rows. So no draft
/// depends on them.
class LevelsAhead {
 public:
  static constexpr int kNone = -1;
  /// Rows of a level, as few as cost hardly more than one.
  static constexpr int kWidth = 4;
  /// Levels of a request: most trees are pruned before many more.
  static constexpr int kLevels = 4;

  /// Forgets the round before.
  void restart() { rows_.clear(); }

  /// Of what is drafted: alike for all nodes of a draft.
  struct Wanted {
    int children;  // of a node
    bool keeps;    // as of NodeRanking::read_ahead
    int deepest;   // depth of which nodes are forwarded
  };
  /// Reads what may follow nodes of one depth, and drafts levels ahead if any are wanted and there is room.
  /// @param before  their rows, of a pass whose logits these are
  /// @return the number of the first one's answer; kNone: nothing is read before it is asked for
  int read(TreePasses& passes, NodeRanking& ranking, const engine::Logits& logits,
           std::span<const engine::RowBefore> before, int depth, const Wanted& wanted);
  /// How many passes that took.
  int passes() const { return passes_; }

  struct Found {
    int answer;  // its number, of NodeRanking
    int row;     // in the cache
  };
  /// The row of a node. @param parent  the number of its parent's answer
  /// @return kNone twice for one that was not drafted ahead
  Found find(int parent, int rank) const;

  /// Rows beside those of the nodes that trees of so many levels need at most.
  static int most_rows(int levels) { return kWidth * (levels + kLevels); }

 private:
  struct Row {
    int parent =
        kNone;  // the number of its parent's answer; kNone: the parent was not drafted here
    int rank = 0;
    int row = kNone;
  };
  void note(NodeRanking& ranking, int first, int rows_before, int first_row, int width);

  std::vector<Row> rows_;  // by the number of the answer
  std::vector<engine::RowAhead> chosen_;
  std::vector<Token> tokens_;
  int passes_ = 0;
};

}  // namespace outrider::draft

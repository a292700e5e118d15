#pragma once

#include <functional>
#include <span>
#include <vector>

#include "calibrate/gsd/gsd_trial.h"
#include "calibrate/gsd/tree_recorder.h"
#include "calibrate/replay/text_rounds.h"
#include "runtime/draft/gsd/graph_growth.h"
#include "runtime/draft/gsd/unmerging.h"

namespace outrider::calibrate {

/// A round of drafting and verification.
struct ReplayedRound {
  std::size_t position = 0;  // of its first drafted token
  int drafted = 0;           // nodes
  int merged = 0;            // of them
  int verified = 0;          // nodes, copies included
  int accepted = 0;
  int accepted_copies = 0;
  int later_children = 0;       // accepted nodes that are not the likeliest of their siblings
  int unread = 0;               // accepted nodes that the draft model has not forwarded
  int tokens = 0;               // that the round adds to the text
  bool lacks_nodes = false;     // that the recorded tree was cut before
  std::vector<int> level_rows;  // of the draft model's passes below the root
};

/// Replays drafting with one setting from recorded trees, with the code that draft::GsdDrafter drafts with, and
/// verifies the drafts against the text: the rounds of decoding with this setting, without passes.
class GsdReplay : private draft::Continuations, private draft::CopyRanking {
 public:
  /// @param ranking  for what follows copies; of the draft model that was recorded
  GsdReplay(const GsdSetting& setting, draft::NodeRanking& ranking);

  /// The round after a text.
  /// @param position  of a tree of the stretch
  /// @param end       position of the first token that is not to be reached
  ReplayedRound round(RecordedStretch& stretch, std::size_t position, std::size_t end);
  /// What the last round drafted, and the node of the recorded tree that an open node of it is.
  const draft::DraftGraph& graph() const { return graph_; }
  int record_of(int node) const { return records_[static_cast<std::size_t>(node)]; }

  /// The rounds from a stretch's first position to its last, each where the one before has ended.
  void run(RecordedStretch& stretch, GsdTrial& sums,
           const std::function<void(const ReplayedRound&)>& on_round = {});

 private:
  void forward(const draft::DraftGraph& graph, std::span<const int> level) override;
  std::span<const sampling::RankedToken> after(const draft::DraftGraph& graph, int node,
                                               int i) override;
  bool rank(int node, const draft::TokenTree& tree, int tree_node,
            std::vector<draft::RankedChild>& children) override;
  void verify(std::span<const Token> to_come, ReplayedRound& round);

  GsdSetting setting_;
  draft::NodeRanking& ranking_;
  draft::GraphGrowth growth_;
  draft::DraftGraph graph_;
  draft::Unmerging unmerging_;
  draft::TokenTree tree_ = draft::TokenTree(0);
  TextRounds rounds_;

  // State of the round.
  RecordedTree* recorded_ = nullptr;
  ReplayedRound* made_ = nullptr;
  std::vector<int> records_;  // of each node of the graph that was forwarded
  std::vector<sampling::RankedToken> ranked_;
};

}  // namespace outrider::calibrate

#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/draft/drafter.h"
#include "runtime/draft/gsd/draft_graph.h"
#include "runtime/draft/gsd/graph_growth.h"
#include "runtime/draft/gsd/node_ranking.h"
#include "runtime/draft/gsd/pruning.h"
#include "runtime/draft/gsd/unmerging.h"
#include "runtime/draft/levels_ahead.h"
#include "runtime/draft/model/tree_passes.h"

namespace outrider::draft {

struct GsdDrafterOptions {
  int steps = 10;    // levels drafted at most
  int depth = 0;     // of verified paths at most, which merged nodes make longer; 0: as the levels
  int children = 4;  // k, of every expanded node
  Pruning pruning = {};
  int nodes = 2048;  // drafted at most, and verified at most
  int tau = 0;       // tokens of a run after which nodes are merged; 0: none are
  /// How children are chosen, and so verified: the best by the target's noise, or drawn; kRejection for trees
  /// without merged nodes only.
  Verification verification = Verification::kCoupled;
  sampling::Chance* chance = nullptr;  // draws them; nullptr: the sequence's seed does
  int target_vocab = 0;
  /// The token of each row of the draft's head, ascending; empty: row v is token v.
  std::vector<Token> head_tokens = {};
};

/// Drafts a tree with a model of its own, level by level (Gong et al. 2024): the k best tokens after every
/// open node, of one pass. Above temperature 0 the best are those that the target's noise prefers, so that
/// the first is the choice that the target would make if its logits were the draft's.
///
/// With tau the tree is a graph. What follows a merged node is a copy: at its own depth other noise prefers
/// other tokens, and along its own path other penalties hold, so the logits of the original are ranked
/// again. Accepted copies have no keys and values in the draft's cache: the next round's first pass
/// forwards them.
///
/// Children that are drawn at random are all verified, or none of a node is: whether a node is expanded is
/// decided before its children are drawn, and a budget that does not hold all of them ends the draft.
class GsdDrafter : public Drafter, private CopyRanking, private Continuations {
 public:
  /// @param engine  of the draft model, which other drafters may share
  /// @throws std::logic_error for rejection with merged nodes: the merge test depends on the tokens drawn
  GsdDrafter(const std::shared_ptr<engine::Engine>& engine, GsdDrafterOptions options);

  /// "gsd", and "tsd" where nothing is merged.
  std::string name() const override { return options_.tau > 0 ? "gsd" : "tsd"; }
  /// Reports separately the draft model's prefill, and what only merging costs: unmerging, and the share of accepted
  /// copies in the passes that forward them.
  DrafterReport report(double seconds) const override;
  DrafterTraits traits() const override {
    return {.verification = options_.verification,
            .most_nodes = std::max(DrafterTraits::kUsualNodes, options_.nodes)};
  }
  std::int64_t text_bytes(int tokens) const override { return passes_.bytes(tokens, most_rows()); }
  void verified(std::span<const int> accepted, Token next) override;

  /// The graph of the last draft, and the tree that was made of it.
  const DraftGraph& graph() const { return graph_; }
  const Unmerging& unmerging() const { return unmerging_; }

 protected:
  void fill(const DraftContext& context, TokenTree& tree) override;
  int begin(const TextStart& text) override;

 private:
  static constexpr int kNone = -1;

  struct Counts {
    std::int64_t rounds = 0, passes = 0, drafted = 0, merged = 0, copied = 0;
    std::int64_t rounds_with_merged = 0, accepted = 0, accepted_copies = 0, rounds_with_copies = 0;
    std::int64_t prefilled = 0;  // tokens
    double prefill_seconds = 0, other_seconds = 0;
  };

  /// Of a tree, beside the text.
  int most_rows() const {
    return options_.nodes +
           (ranking_.chooser().drafts_ahead() ? LevelsAhead::most_rows(options_.steps) : 0);
  }
  void note_drawn(TokenTree& tree) const;
  engine::LogitsRow read();
  bool find_ahead(const DraftGraph& graph, int node);
  void read_level(const DraftGraph& graph, std::span<const int> nodes,
                  const engine::Logits& logits);
  void forward(const DraftGraph& graph, std::span<const int> level) override;
  std::span<const sampling::RankedToken> after(const DraftGraph& graph, int node, int i) override;
  bool are_all_or_none() const override { return ranking_.draws(); }
  bool rank(int node, const TokenTree& tree, int tree_node,
            std::vector<RankedChild>& children) override;

  GsdDrafterOptions options_;
  TreePasses passes_;
  NodeRanking ranking_;
  LevelsAhead ahead_;
  GraphGrowth growth_;
  DraftGraph graph_;
  Unmerging unmerging_;

  // State of the round.
  const DraftContext* context_ = nullptr;
  bool drafted_ = false;
  std::vector<int> rows_;       // of each node in the draft's cache, or kNone
  std::vector<int> kept_rows_;  // of the logits that `ranking_` kept of each node, or kNone
  std::vector<int>
      read_;         // numbers of the answers about each node that were read together, or kNone
  int deepest_ = 0;  // depth of which nodes are forwarded
  std::vector<TreePasses::Node> forwarded_;
  std::vector<int> opened_;                // the nodes that these are
  std::vector<engine::RowBefore> before_;  // their rows
  std::vector<int> path_;                  // rows of the accepted nodes
  // State of the text.
  std::vector<std::int64_t> verified_by_rank_;  // [children] nodes sent to the target
  std::vector<std::int64_t> accepted_by_rank_;  // [children] of those
  int unread_copies_ = 0;                       // accepted in the last round
  Counts counts_;
};

}  // namespace outrider::draft

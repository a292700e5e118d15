#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/draft/drafter.h"
#include "runtime/draft/graph/draft_graph.h"
#include "runtime/draft/graph/kept_logits.h"
#include "runtime/draft/graph/pruning.h"
#include "runtime/draft/graph/unmerging.h"
#include "runtime/draft/model/draft_vocabulary.h"
#include "runtime/draft/model/text_counts.h"
#include "runtime/draft/model/token_probability.h"
#include "runtime/draft/model/tree_passes.h"
#include "runtime/sampling/token_choice.h"

namespace outrider::draft {

struct TreeDrafterOptions {
  int steps = 10;    // levels at most
  int children = 4;  // k, of every expanded node
  Pruning pruning = {};
  int nodes = 2048;  // drafted at most, and verified at most
  int tau = 0;       // tokens of a run after which nodes are merged; 0: none are
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
class TreeDrafter : public Drafter, private CopyRanking {
 public:
  /// @param engine  of the draft model, which other drafters may share
  TreeDrafter(const std::shared_ptr<engine::Engine>& engine, TreeDrafterOptions options);

  /// "gsd", and "tsd" where nothing is merged.
  std::string name() const override { return options_.tau > 0 ? "gsd" : "tsd"; }
  /// Tells apart reading what of the text was there before the first draft, and what only merging costs:
  /// unmerging, and the share of accepted copies in the passes that forward them.
  std::vector<DrafterSeconds> divide(double seconds) const override;
  std::vector<DrafterCount> counts() const override;
  void reset() override { start({}, 0); }
  int start(std::span<const Token> text, int kept) override;
  void draft(const DraftContext& context, TokenTree& tree) override;
  void verified(std::span<const int> accepted, Token next) override;

  /// The graph of the last draft, and the tree that was made of it.
  const DraftGraph& graph() const { return graph_; }
  const Unmerging& unmerging() const { return unmerging_; }

 private:
  static constexpr int kNone = -1;

  struct Counts {
    std::int64_t rounds = 0, passes = 0, drafted = 0, merged = 0, copied = 0;
    std::int64_t accepted = 0, accepted_copies = 0, rounds_with_copies = 0;
    std::int64_t prefilled = 0;  // tokens
    double prefill_seconds = 0, other_seconds = 0;
  };

  std::span<const float> read();
  void draft_levels(const DraftLimits& limits);
  void add_children(int node, std::span<const float> logits, int most_nodes);
  void open_level();
  void forward_level();
  bool rank(int node, const TokenTree& tree, int tree_node,
            std::vector<RankedChild>& children) override;
  template <typename Shape>
  void rank_after(sampling::TokenChoice& choice, std::span<const float> logits, const Shape& shape,
                  int node);
  std::int64_t position_after(int depth) const;
  bool copies_are_ranked() const;

  TreeDrafterOptions options_;
  Pruner pruner_;
  TreePasses passes_;
  DraftVocabulary vocabulary_;
  sampling::TokenChoice choice_;
  sampling::TokenChoice copy_choice_;
  TokenProbability probability_;
  DraftGraph graph_;
  Unmerging unmerging_;
  KeptLogits kept_;

  // Of the round.
  const DraftContext* context_ = nullptr;
  bool drafted_ = false;
  std::vector<int> rows_;       // of each node in the draft's cache, or kNone
  std::vector<int> kept_rows_;  // of each node in `kept_`, or kNone
  std::vector<int> level_;      // open nodes whose children are next, the most probable path first
  std::vector<int> added_;      // their children that are not pruned
  std::vector<TreePasses::Node> forwarded_;
  std::vector<sampling::RankedToken> ranked_;
  std::vector<int> path_;  // rows of the accepted nodes
  // Of the text.
  TextCounts text_counts_;
  std::vector<std::int64_t> accepted_by_rank_;  // [children]
  int unread_copies_ = 0;                       // accepted in the last round
  Counts counts_;
};

}  // namespace outrider::draft

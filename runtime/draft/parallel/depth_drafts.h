#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "runtime/draft/drafter.h"
#include "runtime/draft/drawn_children.h"
#include "runtime/draft/model/draft_vocabulary.h"
#include "runtime/draft/model/token_probability.h"
#include "runtime/draft/parallel/followers.h"
#include "runtime/draft/parallel/level_growth.h"
#include "runtime/draft/parallel/parallel_model.h"
#include "runtime/sampling/token_choice.h"
#include "runtime/sampling/top_tokens.h"

namespace outrider::draft {

struct ParallelDrafterOptions {
  int length = 1;  // depths of a round at most, at most the model's most_drafts; 0: none
  /// Children of every node by depth, from below the root; deeper nodes have one.
  std::vector<int> widths = {};
  /// A depth is drafted if the product of the largest probabilities of its slot and those before, softmax
  /// of their logits, is at least this: about the probability that the best chain is accepted so far. It
  /// does not depend on what is drawn.
  double threshold = 0;
  /// Ranking by pair counts; ignored where drafts are drawn at random, and by drafters that draft token by token.
  Following following = {};
  /// How drafts are drawn, and so verified; kRejection for chains only.
  Verification verification = Verification::kCoupled;
  /// Above 0, instead of widths: LevelShape::best_nodes, at most kShortlist of which have the same parent.
  int best_nodes = 0;

  LevelShape shape() const { return {length, widths, threshold, best_nodes}; }
  /// Whether no node has more than one child.
  bool is_chain() const { return shape().is_chain(); }
};

/// Fills a tree, where a token's logits depend on its depth only: its children are the token that the
/// target would choose if its logits were those of the depth, with the noise of its position, and the next best ones after
/// it. With pair counts (Following) the 32 best are ranked again for each node, so that nodes of one depth have different
/// children. Penalties are those of the text, without the draft.
class DepthDrafts : private Levels {
 public:
  /// Gives the logits of a depth, counted from 0: of the model, [head rows].
  using LogitsOf = std::function<std::span<const float>(int depth)>;

  /// @param model    whose logits the depths have
  /// @param kernels  must outlive it
  /// @throws std::logic_error for a length that the model lacks the masks for, for rejection of a tree, and for a
  ///         tree of EAGLE-AR
  DepthDrafts(const ParallelModel& model, const engine::ScoreKernels& kernels,
              ParallelDrafterOptions options);

  const ParallelDrafterOptions& options() const { return options_; }
  /// How many depths of a tree may be drafted.
  int most_of(const DraftLimits& limits) const;

  /// @param depths  at most
  /// @param tree    of just the root
  void run(const DraftContext& context, int depths, const LogitsOf& logits_of, TokenTree& tree);
  /// The first token of the depth before, while the logits of a depth are given.
  Token first() const { return drafted_.front().token; }

  /// See Drafter.
  const sampling::Distribution& drawn_from(int node) const { return drawn_.drawn_from(node); }
  /// Trees that ended with a depth that was too improbable.
  std::int64_t stopped_by_threshold() const { return stopped_by_threshold_; }
  void forget_counts() { stopped_by_threshold_ = 0; }

 private:
  /// A depth that the tree has reached.
  struct Slot {
    std::span<const float> logits;
    LogSoftmax log_q;
    bool is_ranked = false;
    RankedDepth ranked;
  };

  double reach(int depth) override;
  std::span<const sampling::RankedToken> draw(Token before, int width) override;
  void rank_likely(int depth, Token before, int width, std::vector<LikelyToken>& likely) override;
  float log_q(int depth, Token token) override;
  Slot& slot(int depth) { return slots_[static_cast<std::size_t>(depth)]; }
  /// The depth's short list. @param most  tokens; one of a drafter that drafts token by token
  const RankedDepth& ranked(int depth, int most);
  std::int64_t position(int depth) const;

  ParallelDrafterOptions options_;
  LevelShape shape_;
  DraftVocabulary vocabulary_;
  sampling::TokenChoice choice_;
  TokenProbability probability_;
  DrawnChildren drawn_;
  bool one_by_one_;
  LevelGrowth growth_;
  std::int64_t stopped_by_threshold_ = 0;

  // State of the tree.
  const DraftContext* context_ = nullptr;
  const LogitsOf* logits_of_ = nullptr;
  int depth_ = 0;  // reached last
  std::vector<Slot> slots_;
  std::vector<sampling::RankedToken> drafted_;  // of the depth reached last, best first
};

}  // namespace outrider::draft

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "runtime/draft/drafter.h"
#include "runtime/draft/drawn_children.h"
#include "runtime/draft/levels_ahead.h"
#include "runtime/draft/parallelspec/level_growth.h"
#include "runtime/draft/parallelspec/pair_counts.h"
#include "runtime/draft/parallelspec/parallelspec_model.h"
#include "runtime/draft/parallelspec/parallelspec_passes.h"
#include "runtime/sampling/chooser.h"
#include "runtime/sampling/top_tokens.h"

namespace outrider::draft {

struct ParallelSpecDrafterOptions {
  int length = 1;  // depths of a round at most, at most the model's most_drafts; 0: none
  /// Children of every node by depth, from below the root; deeper nodes have one.
  std::vector<int> widths = {};
  /// A depth is drafted if the product of the largest probabilities of its slot and those before, softmax
  /// of their logits, is at least this: about the probability that the best chain is accepted so far. It
  /// does not depend on what is drawn.
  double threshold = 0;
  /// Ranking by pair counts; ignored where drafts are drawn at random.
  PairWeights pair_weights = {};
  /// How drafts are drawn, and so verified; kRejection not for best_nodes, which are not drawn.
  Verification verification = Verification::kCoupled;
  /// Above 0, instead of widths: LevelShape::best_nodes, at most kShortlist of which have the same parent.
  int best_nodes = 0;
  /// Draws by rejection; nullptr: the sequence's seed does.
  sampling::Chance* chance = nullptr;

  LevelShape shape() const { return {length, widths, threshold, best_nodes}; }
  /// Whether no node has more than one child.
};

/// Fills a tree. A node's children are the token that the target would choose if its logits were those of the
/// drafter, with the noise of its position, and the next best ones after it. A parallel drafter's logits depend on the depth
/// only; with pair counts (PairWeights) the 32 best are ranked again for each node, so that nodes of one depth have different
/// children. EAGLE-AR's are of the node. Penalties are those of the text, without the draft.
///
/// By rejection each node's children are drawn on their own, without replacement, from what the drafter gives below it
/// (ParallelSpec's algorithm 1 over a tree; decode::RejectionChoice): whether a group of siblings is drafted does not
/// depend on what it draws.
class DepthDrafts : private Levels {
 public:
  /// The drafter's logits.
  struct Logits {
    /// Of a depth, counted from 0; of EAGLE-AR those below the i-th node forwarded last, at depth 0 below the root. All that
    /// one pass gave are rows of the same logits.
    std::function<engine::LogitsRow(int depth, int i)> of;
    /// EAGLE-AR: forwards drafted tokens; and drafts ahead, as ParallelSpecPasses, which has room for so many rows.
    std::function<void(std::span<const ParallelSpecPasses::DraftedRow> rows)> forward = {};
    std::function<void(const engine::Ahead& form, std::span<const engine::RowBefore> before,
                       const std::function<void(sampling::DraftAhead&)>& draft)>
        ahead = {};
    std::function<int()> room = {};
  };

  /// @param model    whose logits the depths have
  /// @param chooser  as of `make_chooser`
  /// @throws std::logic_error for a length that the model lacks the masks for, and for rejection of the best nodes
  DepthDrafts(const ParallelSpecModel& model, ParallelSpecDrafterOptions options,
              std::unique_ptr<sampling::Chooser> chooser);
  /// Reads such logits. It drafts ahead only where what follows a token does not depend on pair counts, which a device lacks.
  /// @param engine  whose passes give them; must outlive it
  static std::unique_ptr<sampling::Chooser> make_chooser(engine::Engine& engine,
                                                         const ParallelSpecModel& model,
                                                         const ParallelSpecDrafterOptions& options);

  const ParallelSpecDrafterOptions& options() const { return options_; }
  /// Whether some tokens are drafted ahead, unless drafts are drawn at random.
  bool drafts_ahead() const { return chooser_->drafts_ahead(); }
  /// Of a drafter that observes nothing.
  DrafterTraits traits() const {
    return {.verification = options_.verification, .most_nodes = shape_.nodes()};
  }
  /// How many depths of a tree may be drafted.
  int most_of(const DraftLimits& limits) const;

  /// @param depths  at most
  /// @param tree    of just the root
  void run(const DraftContext& context, int depths, const Logits& logits, TokenTree& tree);

  /// Trees that ended with a depth that was too improbable.
  std::int64_t stopped_by_threshold() const { return stopped_by_threshold_; }
  void forget_counts() { stopped_by_threshold_ = 0; }

 private:
  /// What follows: a depth that the tree has reached, or of EAGLE-AR a node of the depth reached last.
  struct Slot {
    engine::LogitsRow row = {};
    sampling::LogSoftmax log_q = {};
    bool is_ranked = false;
    RankedDepth ranked = {};
    std::vector<float> logits = {};  // of the ranked tokens
  };

  bool depends_on_nodes() const override { return one_by_one_; }
  double reach(int depth, const TokenTree& tree, std::span<const int> level) override;
  bool draws_at_random() const override;
  std::span<const sampling::RankedToken> draw(const TokenTree& tree, int node, int width) override;
  void rank_likely(const TokenTree& tree, int node, int width,
                   std::vector<LikelyToken>& likely) override;
  float log_q(const TokenTree& tree, int node, Token token) override;
  void fill_depths(int first, int count);
  void open(int depth, const TokenTree& tree, std::span<const int> level);
  bool find_ahead(const TokenTree& tree, int node, Slot& slot);
  void fill_opened(int depth, const TokenTree& tree);
  engine::Ahead form_ahead(int depth, int opened);
  int answer_ahead(int depth, const engine::Ahead& form, const TokenTree& tree);
  sampling::DraftQuestion question(int row, int depth) const;
  bool ranks_at_once(const engine::Logits& logits) const {
    return logits.elsewhere() != nullptr && !draws_at_random();
  }
  int new_answers();
  void answer_questions(const engine::Logits& logits, int first);
  Slot& slot_of(const TokenTree& tree, int node);
  /// The short list of what follows a node.
  const RankedDepth& ranked(const TokenTree& tree, int node);
  int ranked_of_depth(int depth) const;
  static void take(sampling::DraftAnswer& answer, bool is_ranked, Slot& slot);
  static void take_ranking(sampling::DraftAnswer& answer, Slot& slot);
  std::int64_t position(int depth) const;

  ParallelSpecDrafterOptions options_;
  LevelShape shape_;
  std::unique_ptr<sampling::Chooser> chooser_;
  DrawnChildren drawn_;
  bool one_by_one_;
  LevelGrowth growth_;
  std::int64_t stopped_by_threshold_ = 0;

  // State of the tree.
  const DraftContext* context_ = nullptr;
  const Logits* logits_ = nullptr;
  std::vector<Slot> slots_;
  int depths_ = 0;  // at most
  int filled_ = 0;  // slots of depths
  std::vector<sampling::DraftQuestion> questions_;
  std::vector<sampling::DraftAnswer> answers_;  // of all rows where some are drafted ahead
  int answered_ = 0;
  sampling::DraftAnswer ranking_;               // of a slot
  std::vector<sampling::RankedToken> drafted_;  // below a node, best first
  // EAGLE-AR.
  LevelsAhead ahead_;
  int forwarded_ = 0;                // rows of drafted tokens
  std::vector<int> level_;           // the nodes of the depth before, which slots are of
  std::vector<int> opened_;          // slots of those that were not drafted ahead
  std::vector<int> rows_, numbers_;  // of each node, and of the answer about it; else kNone
  std::vector<ParallelSpecPasses::DraftedRow> drafted_rows_;
  std::vector<engine::RowBefore> before_;
  std::vector<int> children_before_;  // of levels that are drafted ahead
};

}  // namespace outrider::draft

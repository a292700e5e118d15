#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/draft/drafter.h"
#include "runtime/draft/drawn_children.h"
#include "runtime/draft/model/draft_vocabulary.h"
#include "runtime/draft/model/held_text.h"
#include "runtime/draft/model/token_probability.h"
#include "runtime/draft/parallel/level_growth.h"
#include "runtime/draft/parallel/parallel_passes.h"
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
  /// How drafts are drawn, and so verified; kRejection for chains only.
  Verification verification = Verification::kCoupled;

  LevelShape shape() const { return {length, widths, threshold}; }
  /// Whether no node has more than one child.
  bool is_chain() const { return shape().is_chain(); }
};

/// Drafts with ParallelSpec's drafter (Xiao et al. 2024): one pass a round, over the tokens committed since
/// the last one, each with the target's true state, and masks. A token's distribution depends on its depth
/// only, so that all nodes of a depth have the same children: the token that the target would choose if
/// its logits were the drafter's, with the noise of its position, and the next best ones after it.
/// Penalties are those of the text, without the draft. EAGLE-AR drafts chains, token by token.
class ParallelDrafter : public Drafter, private Levels {
 public:
  /// @param engine  of `model.layer`, which other drafters may share
  /// @throws std::logic_error for a length that the model lacks the masks for, for rejection of a tree, and for a
  ///         tree of EAGLE-AR
  ParallelDrafter(std::shared_ptr<const ParallelModel> model,
                  const std::shared_ptr<engine::Engine>& engine, ParallelDrafterOptions options);

  std::string name() const override;
  /// Reports the prefill of its model separately.
  std::vector<DrafterSeconds> divide(double seconds) const override;
  std::vector<DrafterCount> counts() const override;
  void reset() override;
  int start(std::span<const Token> text, int kept) override;
  engine::TapRequest wants() const override;
  void observe(const engine::Pass& pass, std::span<const int> rows) override;
  void fill(const DraftContext& context, TokenTree& tree) override;
  Verification verification() const override { return options_.verification; }
  const sampling::Distribution& drawn_from(int node) const override {
    return drawn_.drawn_from(node);
  }

 private:
  void read(std::span<const Token> text, int depths);
  double reach(int depth) override;
  std::span<const sampling::RankedToken> draw(int width) override;
  float log_q(Token token) override;

  std::shared_ptr<const ParallelModel> model_;
  ParallelDrafterOptions options_;
  ParallelPasses passes_;
  DraftVocabulary vocabulary_;
  sampling::TokenChoice choice_;
  TokenProbability probability_;
  DrawnChildren drawn_;
  LevelShape shape_;
  LevelGrowth growth_;

  // Of the round, and of the depth that it has reached.
  const DraftContext* context_ = nullptr;
  int depth_ = 0;
  std::span<const float> logits_;
  LogSoftmax log_q_;
  std::vector<sampling::RankedToken> tokens_;  // best first
  // Of the text.
  HeldText held_;              // as it was when it was read last
  std::vector<float> states_;  // [rows observed since, width]
  double prefill_seconds_ = 0;
  std::int64_t prefilled_ = 0;  // rows
  std::int64_t rounds_ = 0;
  std::int64_t rows_ = 0;  // real ones, after the prefill
  std::int64_t stopped_by_threshold_ = 0;
};

}  // namespace outrider::draft

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/draft/drafter.h"
#include "runtime/draft/drawn_children.h"
#include "runtime/draft/graph/kept_logits.h"
#include "runtime/draft/graph/unmerging.h"
#include "runtime/draft/model/draft_vocabulary.h"
#include "runtime/draft/model/text_counts.h"
#include "runtime/draft/model/token_probability.h"
#include "runtime/sampling/token_choice.h"

namespace outrider::draft {

/// Ranks a draft model's candidates for the children of nodes of a tree or graph, as the target would with the
/// draft's logits: with the noise of each node's own position, and the counts along its own path. What follows a
/// copy can so differ from what follows its original; the original's largest logits are kept for that.
/// For verification by rejection they are drawn at random instead.
class NodeRanking {
 public:
  static constexpr int kNone = -1;

  NodeRanking(DraftVocabulary vocabulary, const engine::ScoreKernels& kernels,
              DrawnChildren drawn = DrawnChildren(Verification::kCoupled));

  /// Starts a text.
  void start_text() { text_counts_.start(); }
  /// Makes room for a text of this many tokens, those of a path included.
  void reserve(int tokens) { text_counts_.reserve(tokens); }
  /// Starts a round. @param context  must outlive the round
  void start_round(const DraftContext& context);

  std::size_t num_logits() const { return vocabulary_.size(); }
  /// Whether what follows nodes is drawn at random in this round, and for such nodes what from.
  bool draws() const { return drawn_.draws(context_->sampling.options); }
  const sampling::Distribution* drawn_from(int node) const { return drawn_.drawn_from(node); }
  /// Whether what follows a copy can differ from what follows its original.
  bool copies_are_ranked() const;

  /// The logits kept in the round.
  KeptLogits& kept() { return kept_; }

  /// What may follow a node, best first or in the order drawn; its score is the logarithm of its probability: at T = 0 in softmax
  /// of the logits, else after the sampler's temperature, penalties and filters.
  /// @param shape   with `parent`, `token` and `depth` of its nodes, of which 0 is the last token of the text
  /// @param logits  [num_logits] after the node
  /// @param kept    nullptr, or set to the number of the logits kept of it
  /// @return until the next call
  template <typename Shape>
  std::span<const sampling::RankedToken> after(const Shape& shape, int node,
                                               std::span<const float> logits, int children,
                                               int* kept) {
    rank(choice_, shape, node, logits, children);
    set_scores(logits, kept);
    return ranked_;
  }

  /// What follows a copy.
  /// @param kept    number of the logits kept of its original, or kNone
  /// @param depth   of the original
  /// @return false: what was drafted after the original
  bool after_copy(int kept, int depth, const TokenTree& tree, int tree_node, int num_children,
                  std::vector<RankedChild>& children);

 private:
  template <typename Shape>
  void rank(sampling::TokenChoice& choice, const Shape& shape, int node,
            std::span<const float> logits, int children) {
    sampling::TokenCounts& counts = text_counts_.counts;
    const sampling::SamplerOptions& options = context_->sampling.options;
    if (options.uses_counts())
      for (int above = node; above != 0; above = shape.parent(above))
        counts.add(shape.token(above));
    const sampling::SequenceSampling sampling = context_->sampling.with(counts);
    const std::int64_t position = position_after(shape.depth(node));
    if (draws())
      drawn_.draw(choice, sampling, logits, {node, children, position}, ranked_);
    else
      choice.rank(sampling, logits, position, children, ranked_);
    if (options.uses_counts())
      for (int above = node; above != 0; above = shape.parent(above))
        counts.remove(shape.token(above));
  }
  void set_scores(std::span<const float> logits, int* kept);
  std::int64_t position_after(int depth) const;

  DraftVocabulary vocabulary_;
  sampling::TokenChoice choice_;
  sampling::TokenChoice copy_choice_;
  TokenProbability probability_;
  KeptLogits kept_;
  DrawnChildren drawn_;
  TextCounts text_counts_;
  const DraftContext* context_ = nullptr;
  std::vector<sampling::RankedToken> ranked_;
};

}  // namespace outrider::draft

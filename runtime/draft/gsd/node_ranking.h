#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/draft/drafter.h"
#include "runtime/draft/drawn_children.h"
#include "runtime/draft/gsd/kept_logits.h"
#include "runtime/draft/gsd/unmerging.h"
#include "runtime/draft/model/text_counts.h"
#include "runtime/sampling/chooser.h"
#include "runtime/sampling/token_choice.h"

namespace outrider::draft {

/// Ranks a draft model's candidates for the children of nodes of a tree or graph, as the target would with the
/// draft's logits: with the noise of each node's own position, and the counts along its own path. What follows a
/// copy can so differ from what follows its original; the original's largest logits are kept for that.
/// For verification by rejection they are drawn at random instead.
class NodeRanking {
 public:
  static constexpr int kNone = -1;

  /// @param engine  of the draft model; must outlive it
  /// @param ahead   whether levels are drafted ahead, where the engine can
  NodeRanking(engine::Engine& engine, const sampling::HeadVocabulary& vocabulary,
              DrawnChildren drawn = DrawnChildren(Verification::kCoupled), bool ahead = false);

  /// Starts a text.
  void start_text() { text_counts_.start(); }
  /// Makes room for a text of this many tokens, those of a path included.
  void reserve(int tokens) { text_counts_.reserve(tokens); }
  /// Starts a round. @param context  must outlive the round
  void start_round(const DraftContext& context);

  const sampling::Chooser& chooser() const { return *chooser_; }
  /// Whether what follows nodes is drawn at random in this round, and for such nodes what from.
  bool draws() const { return drawn_.draws(context_->sampling.options); }
  const sampling::Distribution* drawn_from(int node) const { return drawn_.drawn_from(node); }
  /// Whether what follows a copy can differ from what follows its original.
  bool copies_are_ranked() const;

  /// The logits kept in the round.
  KeptLogits& kept() { return kept_; }

  /// Reads at once what may follow nodes of a depth, where their rows lie elsewhere: the first rows of the logits. Of nodes
  /// with counts of their own, and of those whose children are drawn, nothing is read before it is asked for.
  /// @param keeps  whether their logits are kept
  /// @return the number of the first one's answer in this round, or kNone
  int read_level(const engine::Logits& logits, int rows, int depth, int children, bool keeps);
  /// Whether `read_ahead` may be called in this round.
  bool drafts_ahead() const { return chooser_->drafts_ahead() && reads_together(); }
  /// The same of the rows before, which are of this depth, and of the levels that are drafted after them.
  int read_ahead(const sampling::DraftAhead& ahead, int depth, bool keeps);
  /// What follows a node whose row was read so, by the number of its answer.
  std::span<const sampling::RankedToken> answer(int number) const {
    return answers_[static_cast<std::size_t>(number)].ranked;
  }
  /// The same as `after` says it. @param kept  as there
  std::span<const sampling::RankedToken> after_read(int number, int* kept) {
    return scored(answers_[static_cast<std::size_t>(number)], kept);
  }

  /// What may follow a node, best first or in the order drawn; its score is the logarithm of its probability: at T = 0 in softmax
  /// of the logits, else after the sampler's temperature, penalties and filters.
  /// @param shape   with `parent`, `token` and `depth` of its nodes, of which 0 is the last token of the text
  /// @param row     after the node
  /// @param kept    nullptr, or set to the number of the logits kept of it
  /// @return until the next call
  template <typename Shape>
  std::span<const sampling::RankedToken> after(const Shape& shape, int node,
                                               const engine::LogitsRow& row, int children,
                                               int* kept) {
    if (draws()) {
      with_counts(shape, node, [&](const sampling::SequenceSampling& sampling) {
        drawn_.draw(*chooser_, sampling, row, {node, children, position_after(shape.depth(node))},
                    ranked_);
      });
      return ranked_;
    }
    const sampling::DraftQuestion one =
        question(row.row, shape.depth(node), children, kept != nullptr);
    with_counts(shape, node, [&](const sampling::SequenceSampling& sampling) {
      chooser_->answer(*row.of, sampling, {&one, 1}, {&answer_, 1});
    });
    return scored(answer_, kept);
  }

  /// What follows a copy.
  /// @param kept    number of the logits kept of its original, or kNone
  /// @param depth   of the original
  /// @return false: what was drafted after the original
  bool after_copy(int kept, int depth, const TokenTree& tree, int tree_node, int num_children,
                  std::vector<RankedChild>& children);

 private:
  /// Calls visit(sampling) with the counts along a node's path.
  template <typename Shape, typename Visit>
  void with_counts(const Shape& shape, int node, const Visit& visit) {
    sampling::TokenCounts& counts = text_counts_.counts;
    const bool uses_counts = context_->sampling.options.uses_counts();
    if (uses_counts)
      for (int above = node; above != 0; above = shape.parent(above))
        counts.add(shape.token(above));
    visit(context_->sampling.with(counts));
    if (uses_counts)
      for (int above = node; above != 0; above = shape.parent(above))
        counts.remove(shape.token(above));
  }
  bool reads_together() const { return !draws() && !context_->sampling.options.uses_counts(); }
  sampling::DraftQuestion question(int row, int depth, int children, bool keeps) const;
  std::span<sampling::DraftAnswer> new_answers();
  std::span<const sampling::RankedToken> scored(sampling::DraftAnswer& answer, int* kept);
  std::int64_t position_after(int depth) const;

  std::unique_ptr<sampling::Chooser> chooser_;
  sampling::TokenChoice copy_choice_;
  KeptLogits kept_;
  DrawnChildren drawn_;
  TextCounts text_counts_;
  const DraftContext* context_ = nullptr;
  std::vector<sampling::RankedToken> ranked_;
  sampling::DraftAnswer answer_;
  // Of the rows that were read together in the round.
  int read_ = 0;
  std::vector<sampling::DraftQuestion> questions_;
  std::vector<sampling::DraftAnswer> answers_;
};

}  // namespace outrider::draft

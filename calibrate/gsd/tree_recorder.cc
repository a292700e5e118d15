#include "calibrate/gsd/tree_recorder.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "runtime/base/math.h"

namespace outrider::calibrate {
namespace {

/// Nodes whose children are computed in one pass.
constexpr std::size_t kBatch = 32;

sampling::HeadVocabulary vocabulary_of(const engine::Engine& draft,
                                       const std::vector<Token>& head_tokens, int target_vocab) {
  return {head_tokens, draft.config().vocab, target_vocab};
}

}  // namespace

bool TreeRecorder::Waiting::operator<(const Waiting& other) const {
  return std::tuple(is_chain, least_q, log_path, -node) <
         std::tuple(other.is_chain, other.least_q, other.log_path, -other.node);
}

TreeRecorder::TreeRecorder(const std::shared_ptr<engine::Engine>& draft,
                           const std::vector<Token>& head_tokens, int target_vocab,
                           const RecordingLimits& limits)
    : limits_(limits),
      least_(math::log(limits.probability)),
      passes_(draft),
      ranking_(*draft, vocabulary_of(*draft, head_tokens, target_vocab)),
      none_(vocabulary_of(*draft, head_tokens, target_vocab)) {}

std::size_t TreeRecorder::last_position() const {
  return static_cast<std::size_t>(std::max(0, passes_.context() - limits_.steps));
}

RecordedStretch TreeRecorder::record(const Answer& answer, std::size_t first, std::size_t end,
                                     const OnTree& on_tree) {
  keeps_logits_ = static_cast<bool>(on_tree);
  RecordedStretch stretch = {&answer, first, {}};
  for (std::size_t position = first; position < end; ++position) {
    const auto committed = std::span(answer.tokens).first(position);
    const sampling::TokenCounts counts = counts_before(answer, position);
    if (position == first) passes_.keep_prefix(committed.first(committed.size() - 1));
    stretch.trees.push_back(
        record_one({committed, {answer.sampler, answer.sequence_seed, counts}}));
    if (on_tree) on_tree(stretch, position, logits_);
  }
  return stretch;
}

RecordedTree TreeRecorder::record_one(const draft::DraftContext& context) {
  RecordedTree tree(none_);
  passes_.reserve(static_cast<int>(context.committed.size()), limits_.nodes);
  ranking_.start_text();
  ranking_.start_round(context);
  waiting_.clear();
  logits_.clear();
  rows_.assign(1, draft::TreePasses::Node::kText);
  expand(tree, {true, 0, 0, 0}, passes_.read(context.committed));
  while (!waiting_.empty() && has_room(tree, 1)) forward_best(tree);
  tree.is_cut = !waiting_.empty();
  if (keeps_logits_) logits_.resize(static_cast<std::size_t>(tree.size()));
  std::swap(tree.kept, ranking_.kept());
  return tree;
}

bool TreeRecorder::has_room(const RecordedTree& tree, std::size_t expanding) const {
  return tree.size() - 1 + static_cast<int>(expanding) * limits_.children <= limits_.nodes;
}

void TreeRecorder::forward_best(RecordedTree& tree) {
  best_.clear();
  while (best_.size() < kBatch && !waiting_.empty() && has_room(tree, best_.size() + 1)) {
    std::pop_heap(waiting_.begin(), waiting_.end());
    best_.push_back(waiting_.back());
    waiting_.pop_back();
    if (best_.back().is_chain) break;  // what follows it goes before all others
  }
  forwarded_.clear();
  rows_.resize(static_cast<std::size_t>(tree.size()), RecordedTree::kNone);
  int row = passes_.rows();
  for (const Waiting& one : best_) {
    const int above = rows_[static_cast<std::size_t>(tree.parent(one.node))];
    forwarded_.push_back({tree.token(one.node), above});
    rows_[static_cast<std::size_t>(one.node)] = row++;
  }
  passes_.forward(forwarded_);
  for (std::size_t i = 0; i < best_.size(); ++i)
    expand(tree, best_[i], passes_.logits(static_cast<int>(i)));
}

void TreeRecorder::expand(RecordedTree& tree, const Waiting& above, const engine::LogitsRow& row) {
  const int node = above.node;
  int kept_row = RecordedTree::kNone;
  const auto children =
      ranking_.after(tree, node, row, limits_.children, node == 0 ? nullptr : &kept_row);
  const int first = tree.expand(node, children, kept_row);
  if (keeps_logits_) {
    logits_.resize(static_cast<std::size_t>(tree.size()));
    const auto own = ranking_.chooser().row(row);
    logits_[static_cast<std::size_t>(node)].assign(own.begin(), own.end());
  }
  if (tree.depth(node) + 1 >= limits_.steps) return;
  for (int child = first; child < tree.size(); ++child) {
    const bool goes_on = above.is_chain && child == first;
    if (!goes_on && tree.log_q(child) < least_) continue;
    waiting_.push_back(
        {goes_on, std::min(above.least_q, tree.log_q(child)), tree.log_path(child), child});
    std::push_heap(waiting_.begin(), waiting_.end());
  }
}

}  // namespace outrider::calibrate

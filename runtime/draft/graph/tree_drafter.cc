#include "runtime/draft/graph/tree_drafter.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "runtime/base/stopwatch.h"

namespace outrider::draft {

TreeDrafter::TreeDrafter(const std::shared_ptr<engine::Engine>& engine, TreeDrafterOptions options)
    : options_(std::move(options)),
      pruner_(options_.pruning),
      passes_(engine),
      vocabulary_(options_.head_tokens, engine->config().vocab, options_.target_vocab),
      choice_(vocabulary_.choice()),
      copy_choice_(choice_),
      probability_(static_cast<int>(vocabulary_.size()), engine->score_kernels()),
      graph_(options_.tau),
      kept_(vocabulary_),
      accepted_by_rank_(static_cast<std::size_t>(options_.children)) {}

std::vector<DrafterSeconds> TreeDrafter::divide(double seconds) const {
  const double prefill = std::min(counts_.prefill_seconds, seconds);
  const double other = std::min(counts_.other_seconds, seconds - prefill);
  return {{name(), seconds - prefill - other},
          {name() + "-prefill", prefill},
          {name() + "-other", other}};
}

std::vector<DrafterCount> TreeDrafter::counts() const {
  std::vector<DrafterCount> all = {{"rounds", counts_.rounds},
                                   {"passes", counts_.passes},
                                   {"drafted_nodes", counts_.drafted},
                                   {"merged_nodes", counts_.merged},
                                   {"copied_nodes", counts_.copied},
                                   {"accepted_nodes", counts_.accepted},
                                   {"accepted_copies", counts_.accepted_copies},
                                   {"rounds_with_accepted_copies", counts_.rounds_with_copies}};
  for (std::size_t rank = 0; rank < accepted_by_rank_.size(); ++rank)
    all.push_back({fmt::format("accepted_children_{}", rank + 1), accepted_by_rank_[rank]});
  all.push_back({"prefilled_tokens", counts_.prefilled});
  return all;
}

int TreeDrafter::start(std::span<const Token> text, int kept) {
  passes_.keep_prefix(text);
  text_counts_.start();
  drafted_ = false;
  unread_copies_ = 0;
  counts_ = {};
  std::fill(accepted_by_rank_.begin(), accepted_by_rank_.end(), 0);
  return kept;
}

void TreeDrafter::draft(const DraftContext& context, TokenTree& tree) {
  drafted_ = false;
  const int tokens = static_cast<int>(context.committed.size());
  // The deepest nodes are not forwarded: their parents have positions up to tokens + depth - 2.
  const DraftLimits limits = {
      std::min({options_.steps, tree.limits().depth, passes_.context() - tokens + 1}),
      std::min(options_.nodes, tree.limits().nodes)};
  if (limits.depth < 1 || limits.nodes < 1) return;
  passes_.reserve(tokens + std::min(tree.limits().depth, passes_.context()), options_.nodes);
  context_ = &context;
  text_counts_.follow(context);
  draft_levels(limits);

  const Stopwatch watch;
  unmerging_.run(graph_, limits, this, tree);
  if (options_.tau > 0) counts_.other_seconds += watch.seconds();
  context_ = nullptr;
  drafted_ = true;
  counts_.drafted += graph_.num_drafted();
  counts_.merged += graph_.num_merged();
  for (int node = 1; node < tree.size(); ++node) counts_.copied += unmerging_.is_copy(node);
}

void TreeDrafter::draft_levels(const DraftLimits& limits) {
  graph_.restart();
  kept_.clear();
  rows_.assign(1, TreePasses::Node::kText);
  kept_rows_.assign(1, kNone);
  level_.assign(1, 0);
  added_.clear();
  add_children(0, read(), limits.nodes);
  for (int depth = 1; depth < limits.depth && graph_.num_drafted() < limits.nodes; ++depth) {
    open_level();
    if (level_.empty()) return;
    forward_level();
    added_.clear();
    for (std::size_t i = 0; i < level_.size(); ++i)
      add_children(level_[i], passes_.logits(static_cast<int>(i)).first(vocabulary_.size()),
                   limits.nodes);
  }
}

/// The logits after the text.
std::span<const float> TreeDrafter::read() {
  const Stopwatch watch;
  const int unread = static_cast<int>(context_->committed.size()) - passes_.length();
  const std::span<const float> logits = passes_.read(context_->committed).first(vocabulary_.size());
  if (counts_.rounds++ == 0) {
    counts_.prefilled = unread;
    counts_.prefill_seconds = watch.seconds();
  } else {
    ++counts_.passes;
    counts_.other_seconds += watch.seconds() * unread_copies_ / unread;
  }
  unread_copies_ = 0;
  return logits;
}

std::int64_t TreeDrafter::position_after(int depth) const {
  return static_cast<std::int64_t>(context_->committed.size()) + depth;
}

/// Fills `ranked_` with what the sampling prefers after a node of a graph or a tree.
template <typename Shape>
void TreeDrafter::rank_after(sampling::TokenChoice& choice, std::span<const float> logits,
                             const Shape& shape, int node) {
  sampling::TokenCounts& counts = text_counts_.counts;
  const sampling::SamplerOptions& options = context_->sampling.options;
  if (options.uses_counts())
    for (int above = node; above != 0; above = shape.parent(above)) counts.add(shape.token(above));
  choice.rank({options, context_->sampling.seed, counts}, logits, position_after(shape.depth(node)),
              options_.children, ranked_);
  if (options.uses_counts())
    for (int above = node; above != 0; above = shape.parent(above))
      counts.remove(shape.token(above));
}

void TreeDrafter::add_children(int node, std::span<const float> logits, int most_nodes) {
  rank_after(choice_, logits, graph_, node);
  const bool is_greedy = context_->sampling.options.temperature == 0;
  const bool keeps = options_.tau > 0 && node != 0 && copies_are_ranked();
  const LogSoftmax softmax = is_greedy || keeps ? probability_.of(logits) : LogSoftmax();
  if (is_greedy)
    for (sampling::RankedToken& one : ranked_)
      one.score = softmax.of(logits[vocabulary_.row_of(one.token)]);
  if (keeps) kept_rows_[static_cast<std::size_t>(node)] = kept_.keep(vocabulary_, logits, softmax);
  double largest = ranked_.front().score;
  for (const sampling::RankedToken& one : ranked_) largest = std::max(largest, one.score);
  int rank = 0;
  for (const sampling::RankedToken& one : ranked_) {
    if (graph_.num_drafted() >= most_nodes) return;
    const int child = graph_.add(node, one.token, one.score, rank++);
    rows_.push_back(kNone);
    kept_rows_.push_back(kNone);
    if (!pruner_.prunes(one.score, largest, graph_.log_path(child))) added_.push_back(child);
  }
}

/// Opens or merges what was added, the most probable paths first.
void TreeDrafter::open_level() {
  std::sort(added_.begin(), added_.end(), [this](int a, int b) {
    const double of_a = graph_.log_path(a), of_b = graph_.log_path(b);
    return of_a != of_b ? of_a > of_b : a < b;
  });
  level_.clear();
  for (const int node : added_)
    if (graph_.open(node)) level_.push_back(node);
}

void TreeDrafter::forward_level() {
  forwarded_.clear();
  int row = passes_.rows();
  for (const int node : level_) {
    const int above = rows_[static_cast<std::size_t>(graph_.parent(node))];
    forwarded_.push_back({graph_.token(node), above});
    rows_[static_cast<std::size_t>(node)] = row++;
  }
  passes_.forward(forwarded_);
  ++counts_.passes;
}

/// Whether what follows a copy can differ from what follows its original.
bool TreeDrafter::copies_are_ranked() const {
  const sampling::SamplerOptions& options = context_->sampling.options;
  return options.temperature > 0 || options.uses_counts();
}

bool TreeDrafter::rank(int node, const TokenTree& tree, int tree_node,
                       std::vector<RankedChild>& children) {
  const sampling::SamplerOptions& options = context_->sampling.options;
  const int kept = kept_rows_[static_cast<std::size_t>(node)];
  const bool has_own_noise = tree.depth(tree_node) != graph_.depth(node);
  if (kept == kNone || !(has_own_noise || options.uses_counts())) return false;
  copy_choice_.restrict_to(kept_.tokens(kept));
  rank_after(copy_choice_, kept_.logits(kept), tree, tree_node);
  children.clear();
  for (const sampling::RankedToken& one : ranked_)
    children.push_back({one.token, options.temperature > 0
                                       ? one.score
                                       : static_cast<double>(kept_.log_q(kept, one.token))});
  return true;
}

void TreeDrafter::verified(std::span<const int> accepted, Token /*next*/) {
  if (!drafted_) return;
  drafted_ = false;
  path_.clear();
  unread_copies_ = 0;
  for (const int node : accepted) {
    const bool is_copy = unmerging_.is_copy(node);
    const int row = is_copy ? kNone : rows_[static_cast<std::size_t>(unmerging_.node_of(node))];
    if (row != kNone) path_.push_back(row);
    unread_copies_ += is_copy;
    ++accepted_by_rank_[static_cast<std::size_t>(unmerging_.rank_of(node))];
  }
  counts_.accepted += std::ssize(accepted);
  counts_.accepted_copies += unread_copies_;
  counts_.rounds_with_copies += unread_copies_ > 0;
  passes_.keep(path_);
}

}  // namespace outrider::draft

#include "runtime/draft/gsd/gsd_drafter.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "runtime/base/math.h"
#include "runtime/base/stopwatch.h"

namespace outrider::draft {
namespace {

NodeRanking ranking_of(engine::Engine& engine, const GsdDrafterOptions& options) {
  const sampling::HeadVocabulary vocabulary(options.head_tokens, engine.config().vocab,
                                            options.target_vocab);
  return {engine, vocabulary, DrawnChildren(options.verification, options.chance), true};
}

}  // namespace

GsdDrafter::GsdDrafter(const std::shared_ptr<engine::Engine>& engine, GsdDrafterOptions options)
    : options_(std::move(options)),
      passes_(engine),
      ranking_(ranking_of(*engine, options_)),
      growth_(options_.pruning),
      graph_(options_.tau),
      verified_by_rank_(static_cast<std::size_t>(options_.children)),
      accepted_by_rank_(verified_by_rank_) {
  if (options_.verification == Verification::kRejection && options_.tau > 0)
    throw std::logic_error("GsdDrafter: a graph cannot be verified by rejection");
  if (options_.depth == 0) options_.depth = options_.steps;
}

DrafterReport GsdDrafter::report(double seconds) const {
  const double prefill = std::min(counts_.prefill_seconds, seconds);
  const double other = std::min(counts_.other_seconds, seconds - prefill);
  std::vector<DrafterCount> all = {{"rounds", counts_.rounds},
                                   {"passes", counts_.passes},
                                   {"drafted_nodes", counts_.drafted},
                                   {"merged_nodes", counts_.merged},
                                   {"rounds_with_merged_nodes", counts_.rounds_with_merged},
                                   {"copied_nodes", counts_.copied},
                                   {"accepted_nodes", counts_.accepted},
                                   {"accepted_copies", counts_.accepted_copies},
                                   {"rounds_with_accepted_copies", counts_.rounds_with_copies}};
  for (std::size_t rank = 0; rank < verified_by_rank_.size(); ++rank) {
    all.push_back({fmt::format("verified_children_{}", rank + 1), verified_by_rank_[rank]});
    all.push_back({fmt::format("accepted_children_{}", rank + 1), accepted_by_rank_[rank]});
  }
  all.push_back({"prefilled_tokens", counts_.prefilled});
  return {{{name(), seconds - prefill - other},
           {name() + "-prefill", prefill},
           {name() + "-other", other}},
          std::move(all)};
}

int GsdDrafter::begin(const TextStart& text) {
  passes_.keep_prefix(text.text);
  ranking_.start_text();
  drafted_ = false;
  unread_copies_ = 0;
  counts_ = {};
  verified_by_rank_.assign(verified_by_rank_.size(), 0);
  accepted_by_rank_.assign(accepted_by_rank_.size(), 0);
  ranking_.reserve(text.most + options_.depth);
  path_.reserve(static_cast<std::size_t>(options_.depth));
  return text.kept;
}

void GsdDrafter::fill(const DraftContext& context, TokenTree& tree) {
  drafted_ = false;
  const int tokens = static_cast<int>(context.committed.size());
  // The deepest nodes are not forwarded: their parents have positions up to tokens + depth - 2.
  const int deepest = std::min(tree.limits().depth, passes_.context() - tokens + 1);
  const int nodes = std::min(options_.nodes, tree.limits().nodes);
  const DraftLimits limits = {std::min(options_.steps, deepest), nodes};
  if (limits.depth < 1 || limits.nodes < 1) return;
  passes_.reserve(tokens + std::min(tree.limits().depth, passes_.context()), most_rows());
  context_ = &context;
  ranking_.start_round(context);
  ahead_.restart();
  graph_.restart();
  deepest_ = limits.depth - 1;
  read_.assign(1, kNone);
  rows_.assign(1, TreePasses::Node::kText);
  kept_rows_.assign(1, kNone);
  const bool is_grown = growth_.run(limits, *this, graph_);
  rows_.resize(static_cast<std::size_t>(graph_.size()), kNone);

  const Stopwatch watch;
  // Where nothing is merged the limits cut nothing here.
  const bool is_whole =
      unmerging_.run(graph_, {std::min(options_.depth, deepest), nodes}, this, tree);
  if (nodes < options_.nodes && !(is_grown && is_whole)) tree.note_cut();
  if (options_.tau > 0) counts_.other_seconds += watch.seconds();
  if (ranking_.draws()) note_drawn(tree);
  context_ = nullptr;
  drafted_ = true;
  counts_.drafted += graph_.num_drafted();
  counts_.merged += graph_.num_merged();
  counts_.rounds_with_merged += graph_.num_merged() > 0;
  for (int node = 1; node < tree.size(); ++node) {
    counts_.copied += unmerging_.is_copy(node);
    if (const int rank = unmerging_.rank_of(node); rank != kNone)
      ++verified_by_rank_[static_cast<std::size_t>(rank)];
  }
}

/// Notes what the children of the tree's nodes were drawn from.
void GsdDrafter::note_drawn(TokenTree& tree) const {
  for (int node = 0; node < tree.size(); ++node)
    if (const auto* const q = ranking_.drawn_from(unmerging_.node_of(node)))
      tree.note_drawn_from(node, *q);
}

/// The logits after the text.
engine::LogitsRow GsdDrafter::read() {
  const Stopwatch watch;
  const int unread = static_cast<int>(context_->committed.size()) - passes_.length();
  const engine::LogitsRow row = passes_.read(context_->committed);
  if (counts_.rounds++ == 0) {
    counts_.prefilled = unread;
    counts_.prefill_seconds = watch.seconds();
  } else {
    ++counts_.passes;
    counts_.other_seconds += watch.seconds() * unread_copies_ / unread;
  }
  unread_copies_ = 0;
  return row;
}

void GsdDrafter::forward(const DraftGraph& graph, std::span<const int> level) {
  for (std::vector<int>* of_nodes : {&rows_, &kept_rows_, &read_})
    of_nodes->resize(static_cast<std::size_t>(graph.size()), kNone);
  forwarded_.clear();
  opened_.clear();
  int row = passes_.rows();
  for (const int node : level) {
    if (find_ahead(graph, node)) continue;
    const int above = rows_[static_cast<std::size_t>(graph.parent(node))];
    forwarded_.push_back({graph.token(node), above});
    opened_.push_back(node);
    rows_[static_cast<std::size_t>(node)] = row++;
  }
  if (opened_.empty()) return;
  passes_.forward(forwarded_);
  ++counts_.passes;
  read_level(graph, opened_, *passes_.logits(0).of);
}

bool GsdDrafter::find_ahead(const DraftGraph& graph, int node) {
  const int parent = read_[static_cast<std::size_t>(graph.parent(node))];
  const LevelsAhead::Found found = ahead_.find(parent, graph.token(node));
  if (found.answer == kNone) return false;
  read_[static_cast<std::size_t>(node)] = found.answer;
  rows_[static_cast<std::size_t>(node)] = found.row;
  return true;
}

/// Reads what may follow nodes of a level, the first rows of the logits, and drafts levels after them ahead.
void GsdDrafter::read_level(const DraftGraph& graph, std::span<const int> nodes,
                            const engine::Logits& logits) {
  before_.clear();
  for (const int node : nodes)
    before_.push_back({.row = static_cast<int>(before_.size()),
                       .parent = engine::Row::held(rows_[static_cast<std::size_t>(node)]),
                       .chance = math::exp(graph.log_path(node))});
  const int count = static_cast<int>(nodes.size()), depth = graph.depth(nodes.front());
  const bool keeps = options_.tau > 0;
  const engine::Ahead form = {.levels = std::min(LevelsAhead::kLevels, deepest_ - depth),
                              .width = options_.children == 1 ? 1 : LevelsAhead::kWidth,
                              .children = options_.children};
  int first = kNone;
  if (ranking_.drafts_ahead() && LevelsAhead::fits(form, count, passes_.room())) {
    const int first_row = passes_.rows();
    passes_.forward_ahead([&](engine::KvCache& cache) {
      first = ranking_.read_ahead({.cache = cache,
                                   .logits = logits,
                                   .before = before_,
                                   .form = form,
                                   .rows = ahead_.rows(form)},
                                  depth, keeps);
      return ahead_.note(form, first, count, first_row, [&](int number, int rank) {
        return ranking_.answer(number)[static_cast<std::size_t>(rank)].token;
      });
    });
    counts_.passes += form.levels;
  } else {
    first = ranking_.read_level(logits, count, depth, options_.children, keeps);
  }
  if (first == kNone) return;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    read_[static_cast<std::size_t>(nodes[i])] = first + static_cast<int>(i);
}

std::span<const sampling::RankedToken> GsdDrafter::after(const DraftGraph& graph, int node, int i) {
  const engine::LogitsRow row = node == 0 ? read() : passes_.logits(i);
  if (node == 0) read_level(graph, {&node, 1}, *row.of);
  int* const kept =
      options_.tau > 0 && node != 0 ? &kept_rows_[static_cast<std::size_t>(node)] : nullptr;
  if (const int number = read_[static_cast<std::size_t>(node)]; number != kNone)
    return ranking_.after_read(number, kept);
  return ranking_.after(graph, node, row, options_.children, kept);
}

bool GsdDrafter::rank(int node, const TokenTree& tree, int tree_node,
                      std::vector<RankedChild>& children) {
  return ranking_.after_copy(kept_rows_[static_cast<std::size_t>(node)], graph_.depth(node), tree,
                             tree_node, options_.children, children);
}

void GsdDrafter::verified(std::span<const int> accepted, Token /*next*/) {
  if (!drafted_) return;
  drafted_ = false;
  path_.clear();
  unread_copies_ = 0;
  for (const int node : accepted) {
    const bool is_copy = unmerging_.is_copy(node);
    const int row = is_copy ? kNone : rows_[static_cast<std::size_t>(unmerging_.node_of(node))];
    if (row != kNone) path_.push_back(row);
    unread_copies_ += is_copy;
    if (const int rank = unmerging_.rank_of(node); rank != kNone)
      ++accepted_by_rank_[static_cast<std::size_t>(rank)];
  }
  counts_.accepted += std::ssize(accepted);
  counts_.accepted_copies += unread_copies_;
  counts_.rounds_with_copies += unread_copies_ > 0;
  passes_.keep(path_);
}

}  // namespace outrider::draft

#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "runtime/draft/drafter.h"
#include "runtime/engine/engine.h"
#include "runtime/sampling/arg_max.h"
#include "runtime/sampling/token_choice.h"

namespace outrider::test {

/// Drafts with a model of its own, over several of its passes: each level of the tree goes on from the
/// one before with the model's choice, made with the target's noise, and its likeliest token beside it.
class DraftModel : public draft::Drafter {
 public:
  /// @param depth  levels, a pass each
  /// @param width  nodes of a level that are gone on from
  DraftModel(engine::Engine& engine, int capacity, int depth, int width)
      : engine_(engine),
        cache_(engine.make_cache(capacity)),
        choice_(engine.config().vocab),
        depth_(depth),
        width_(width) {
    pass_.sequences = {cache_.get()};
  }

  std::string name() const override { return "draft-model"; }

  int begin(const draft::TextStart& start) override {
    const std::span<const Token> text = start.text;
    const auto known =
        std::mismatch(forwarded_.begin(), forwarded_.end(), text.begin(), text.end());
    forwarded_.erase(known.first, forwarded_.end());
    cache_->truncate(static_cast<int>(forwarded_.size()));
    return start.kept;
  }

  void fill(const draft::DraftContext& context, draft::TokenTree& tree) override {
    forward(context.committed);
    rows_ = {kNone};
    std::vector<int> level = {0};
    add_below(level, context, tree);
    for (int depth = 1; depth < depth_ && !level.empty(); ++depth) {
      forward(tree, level);
      add_below(level, context, tree);
    }
    rows_.resize(static_cast<std::size_t>(tree.size()), kNone);
    tokens_.clear();
    for (int node = 0; node < tree.size(); ++node) tokens_.push_back(tree.token(node));
  }

  /// Rows of accepted nodes stay: they are those of the text.
  void verified(std::span<const int> accepted, Token /*next*/) override {
    std::vector<int> rows;
    for (const int node : accepted) {
      const int row = rows_[static_cast<std::size_t>(node)];
      if (row == kNone) break;
      rows.push_back(row);
      forwarded_.push_back(tokens_[static_cast<std::size_t>(node)]);
    }
    cache_->commit(rows);
  }

  int passes = 0;

 private:
  /// What of the text has not been forwarded yet.
  void forward(std::span<const Token> text) {
    pass_.rows.clear();
    pass_.add_chain(0, text.subspan(forwarded_.size()), false);
    pass_.rows.back().wants_logits = true;
    engine_.forward(pass_);
    cache_->commit_first(static_cast<int>(pass_.rows.size()));
    forwarded_.assign(text.begin(), text.end());
    ++passes;
  }

  /// A level of the tree, whose rows follow those held of the levels before it.
  void forward(const draft::TokenTree& tree, const std::vector<int>& level) {
    pass_.rows.clear();
    rows_.resize(static_cast<std::size_t>(tree.size()), kNone);
    const int first = cache_->held();
    for (const int node : level) {
      const int above = rows_[static_cast<std::size_t>(tree.parent(node))];
      const int parent = above == kNone ? engine::Row::kCommitted : engine::Row::held(above);
      rows_[static_cast<std::size_t>(node)] = first + static_cast<int>(pass_.rows.size());
      pass_.rows.push_back({tree.token(node), 0, parent, true});
    }
    engine_.forward(pass_);
    cache_->hold();
    ++passes;
  }

  /// Adds the children of a level, whose logits the last pass has, and makes them the level.
  void add_below(std::vector<int>& level, const draft::DraftContext& context,
                 draft::TokenTree& tree) {
    std::vector<int> next;
    for (std::size_t i = 0; i < level.size(); ++i) {
      const int parent = level[i];
      const auto logits = pass_.row_logits(static_cast<int>(i));
      sampling::TokenCounts counts = context.sampling.counts;
      std::vector<int> path;
      for (int node = parent; node != 0; node = tree.parent(node)) path.insert(path.begin(), node);
      for (const int node : path) counts.add(tree.token(node));
      const auto position =
          static_cast<std::int64_t>(context.committed.size()) + tree.depth(parent);
      const Token chosen = choice_.choose({context.sampling.options, context.sampling.seed, counts},
                                          logits, position);
      for (const Token token : {chosen, sampling::arg_max(logits)}) {
        const int added = tree.add(parent, token, {.source = draft::Source::kModel});
        if (added != draft::TokenTree::kNone && (next.empty() || next.back() != added))
          next.push_back(added);
        if (width_ == 1) break;
      }
    }
    next.resize(std::min(next.size(), static_cast<std::size_t>(width_)));
    level = next;
  }

  static constexpr int kNone = -1;

  engine::Engine& engine_;
  std::unique_ptr<engine::KvCache> cache_;
  engine::Pass pass_;
  std::vector<Token> forwarded_;  // that the cache has committed
  std::vector<int> rows_;         // of each node, in the cache; kNone: not forwarded, or the root
  std::vector<Token> tokens_;     // of each node
  sampling::TokenChoice choice_;
  int depth_;
  int width_;
};

}  // namespace outrider::test

#include "runtime/draft/model/tree_passes.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "runtime/engine/grow_cache.h"

namespace outrider::draft {

TreePasses::TreePasses(std::shared_ptr<engine::Engine> engine)
    : engine_(std::move(engine)), cache_(engine_->make_cache(0)) {}

void TreePasses::reserve(int tokens, int rows) {
  const int most = context() + rows;
  if (!engine::grow_cache(*engine_, cache_, std::min(tokens, context()) + rows, most)) return;
  tree_.clear();
  held_.reserve(cache_->capacity());
}

std::int64_t TreePasses::bytes(int tokens, int rows) const {
  return engine::grown_bytes(*engine_, *cache_, std::min(tokens, context()) + rows,
                             context() + rows);
}

void TreePasses::keep_prefix(std::span<const Token> text) {
  cache_->truncate(held_.keep_prefix(text));
  tree_.clear();
}

/// A model with a smaller vocabulary, which lacks padding only, has no embedding for it. The wrong
/// embedding costs acceptance, never text.
Token TreePasses::readable(Token token) const {
  return token < engine_->config().vocab ? token : 0;
}

/// What comes before a text is read. @return the cache that gets it
engine::KvCache& TreePasses::begin_reading(std::span<const Token> text) {
  if (length() >= std::ssize(text))
    throw std::logic_error("TreePasses: the cache has the whole text");
  cache_->drop();
  tree_.clear();
  reading_.logits_from = static_cast<int>(text.size()) - 1;
  return *cache_;
}

TreePasses::UnreadStep::UnreadStep(TreePasses& passes, std::span<const Token> text)
    : TextStep(passes.begin_reading(text), static_cast<int>(text.size()), passes.reading_),
      passes_(passes),
      text_(text) {}

void TreePasses::UnreadStep::add_chunk(engine::Pass& pass, int sequence, int first, int count) {
  const std::size_t before = pass.rows.size();
  pass.add_chain(sequence,
                 text_.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)),
                 false);
  for (engine::Row& row : std::span(pass.rows).subspan(before))
    row.token = passes_.readable(row.token);
}

void TreePasses::UnreadStep::take(const engine::StepRows& rows) {
  TextStep::take(rows);
  passes_.taken_ = rows;
  if (is_done()) passes_.held_.hold(text_);
}

engine::LogitsRow TreePasses::read(std::span<const Token> text) {
  UnreadStep step(*this, text);
  engine::forward_chunks(*engine_, pass_, step);
  return logits(0);
}

void TreePasses::NodesStep::add_rows(engine::Pass& pass) {
  const int sequence = pass.add_sequence(*passes_.cache_);
  for (const Node& node : nodes_) {
    const int parent =
        node.parent == Node::kText ? engine::Row::kCommitted : engine::Row::held(node.parent);
    pass.rows.push_back({passes_.readable(node.token), sequence, parent, true});
  }
}

void TreePasses::NodesStep::take(const engine::StepRows& rows) {
  for (const Node& node : nodes_) passes_.tree_.push_back(node.token);
  passes_.cache_->hold();
  passes_.taken_ = rows;
}

void TreePasses::forward(std::span<const Node> nodes) {
  NodesStep step(*this, nodes);
  engine::forward_step(*engine_, pass_, step);
}

void TreePasses::keep(std::span<const int> path) {
  cache_->commit(path);
  for (const int row : path) held_.append(tree_[static_cast<std::size_t>(row)]);
  tree_.clear();
}

}  // namespace outrider::draft

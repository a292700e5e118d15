#include "runtime/draft/model/chain_passes.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "runtime/engine/forward_text.h"

namespace outrider::draft {

ChainPasses::ChainPasses(std::shared_ptr<engine::Engine> engine)
    : engine_(std::move(engine)), cache_(engine_->make_cache(0)) {}

void ChainPasses::reserve(int tokens) {
  tokens = std::min(tokens, context());
  if (tokens <= cache_->capacity()) return;
  // By half at least, so that the turns of a dialogue seldom copy.
  const int capacity = std::min(std::max(tokens, cache_->capacity() / 2 * 3), context());
  auto larger = engine_->make_cache(capacity);
  larger->copy_prefix(*cache_, cache_->length());
  cache_ = std::move(larger);
  chain_.clear();
  text_.reserve(static_cast<std::size_t>(capacity));
  unread_.reserve(static_cast<std::size_t>(capacity));
}

void ChainPasses::keep_prefix(std::span<const Token> text) {
  const auto known = std::mismatch(text_.begin(), text_.end(), text.begin(), text.end());
  text_.erase(known.first, text_.end());
  cache_->truncate(length());
  chain_.clear();
}

/// A model with a smaller vocabulary, which lacks padding only, has no embedding for it. What it makes of
/// such a token costs drafts, never text.
Token ChainPasses::readable(Token token) const {
  return token < engine_->config().vocab ? token : 0;
}

std::span<const float> ChainPasses::read(std::span<const Token> text) {
  if (text_.size() >= text.size())
    throw std::logic_error("ChainPasses::read: the cache has the whole text");
  cache_->drop();
  chain_.clear();
  const int before = length();
  unread_.clear();
  for (const Token token : text.subspan(text_.size())) unread_.push_back(readable(token));
  engine::forward_text(*engine_, *cache_, pass_, unread_,
                       {.logits_from = before + static_cast<int>(unread_.size()) - 1});
  text_.assign(text.begin(), text.end());
  return pass_.row_logits(0);
}

std::span<const float> ChainPasses::extend(Token token) {
  const int parent =
      chain_.empty() ? engine::Row::kCommitted : engine::Row::held(cache_->held() - 1);
  pass_.rows.clear();
  pass_.rows.push_back({readable(token), 0, parent, true});
  engine_->forward(pass_);
  cache_->hold();
  chain_.push_back(token);
  return pass_.row_logits(0);
}

void ChainPasses::keep(int tokens) {
  const int kept = std::min(tokens, static_cast<int>(chain_.size()));
  cache_->commit_first(kept);
  text_.insert(text_.end(), chain_.begin(), chain_.begin() + kept);
  chain_.clear();
}

}  // namespace outrider::draft

#include "runtime/draft/ngram/ngram_index.h"

#include <xxhash.h>

#include <algorithm>

namespace outrider::draft {
namespace {

bool better(const NgramIndex::Continuation& a, const NgramIndex::Continuation& b) {
  return a.count != b.count ? a.count > b.count : a.latest > b.latest;
}

}  // namespace

NgramIndex::NgramIndex(int query, int length, int most)
    : query_(static_cast<std::size_t>(query)),
      length_(static_cast<std::size_t>(length)),
      most_(static_cast<std::size_t>(most)) {}

void NgramIndex::clear() {
  text_.clear();
  grams_.clear();
  best_.clear();
}

void NgramIndex::extend(std::span<const Token> text) {
  for (const Token token : text.subspan(text_.size())) {
    text_.push_back(token);
    if (text_.size() >= query_ + length_) complete_gram();
  }
}

std::vector<NgramIndex::Continuation> NgramIndex::of_suffix() const {
  std::vector<Continuation> found;
  if (text_.size() < query_) return found;
  const auto best = best_.find(hash(text_.size() - query_, query_));
  if (best == best_.end()) return found;
  for (const Continuation* one : best->second) found.push_back(*one);
  return found;
}

// A hash collision only makes a worse draft.
NgramIndex::Hash NgramIndex::hash(std::size_t first, std::size_t count) const {
  return XXH3_64bits(text_.data() + first, count * sizeof(Token));
}

void NgramIndex::complete_gram() {
  const std::size_t first = text_.size() - query_ - length_;
  Continuation& gram = grams_[hash(first, query_ + length_)];
  ++gram.count;
  gram.latest = first + query_;
  promote(best_[hash(first, query_)], &gram);
}

// Only the n-gram just completed can have a higher rank, so moving it up keeps the order.
void NgramIndex::promote(std::vector<const Continuation*>& best, const Continuation* one) const {
  auto it = std::find(best.begin(), best.end(), one);
  if (it == best.end()) {
    if (best.size() == most_) {
      if (!better(*one, *best.back())) return;
      best.pop_back();
    }
    best.push_back(one);
    it = best.end() - 1;
  }
  for (; it != best.begin() && better(**it, **(it - 1)); --it) std::iter_swap(it, it - 1);
}

}  // namespace outrider::draft

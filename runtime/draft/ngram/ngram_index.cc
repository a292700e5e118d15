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

void NgramIndex::reserve(std::size_t tokens) {
  text_.reserve(tokens);
  // A token completes one n-gram at most.
  gram_numbers_.reserve(tokens);
  grams_.reserve(tokens);
  query_numbers_.reserve(tokens);
  ranked_.reserve(tokens * most_);
}

std::int64_t NgramIndex::bytes(int tokens) const {
  const auto most = static_cast<std::size_t>(tokens);
  const std::size_t each = sizeof(Token) + sizeof(Continuation) + most_ * sizeof(int);
  return static_cast<std::int64_t>(most * each + 2 * HashNumbers::bytes(most));
}

void NgramIndex::clear() {
  text_.clear();
  gram_numbers_.clear();
  grams_.clear();
  query_numbers_.clear();
  ranked_.clear();
}

void NgramIndex::extend(std::span<const Token> text) {
  for (const Token token : text.subspan(text_.size())) {
    text_.push_back(token);
    if (text_.size() >= query_ + length_) complete_gram();
  }
}

void NgramIndex::of_suffix(std::vector<Continuation>& found) const {
  found.clear();
  if (text_.size() < query_) return;
  const int query = query_numbers_.find(hash(text_.size() - query_, query_));
  if (query == kNone) return;
  for (const int number :
       std::span(ranked_).subspan(static_cast<std::size_t>(query) * most_, most_)) {
    if (number == kNone) break;
    found.push_back(gram(number));
  }
}

// A hash collision only makes a worse draft.
HashNumbers::Hash NgramIndex::hash(std::size_t first, std::size_t count) const {
  return XXH3_64bits(text_.data() + first, count * sizeof(Token));
}

void NgramIndex::complete_gram() {
  const std::size_t first = text_.size() - query_ - length_;
  const int number = gram_numbers_.add(hash(first, query_ + length_));
  grams_.resize(gram_numbers_.size());
  Continuation& completed = grams_[static_cast<std::size_t>(number)];
  ++completed.count;
  completed.latest = first + query_;
  const int query = query_numbers_.add(hash(first, query_));
  ranked_.resize(query_numbers_.size() * most_, kNone);
  promote(std::span(ranked_).subspan(static_cast<std::size_t>(query) * most_, most_), number);
}

// Only the n-gram just completed can have a higher rank, so moving it up keeps the order.
void NgramIndex::promote(std::span<int> ranked, int number) const {
  auto it = std::find_if(ranked.begin(), ranked.end(),
                         [&](int other) { return other == number || other == kNone; });
  if (it == ranked.end()) {
    if (!better(gram(number), gram(ranked.back()))) return;
    --it;
  }
  *it = number;
  for (; it != ranked.begin() && better(gram(*it), gram(*(it - 1))); --it)
    std::iter_swap(it, it - 1);
}

}  // namespace outrider::draft

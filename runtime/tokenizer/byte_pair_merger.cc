#include "runtime/tokenizer/byte_pair_merger.h"

#include <algorithm>
#include <cstddef>

namespace outrider::text {

void BytePairMerger::add(Token symbol) {
  const auto index = static_cast<std::int32_t>(symbols_.size());
  if (index > 0) symbols_.back().next = index;
  symbols_.push_back({symbol, index - 1, -1});
}

bool BytePairMerger::later(const Candidate& a, const Candidate& b) {
  return a.rank != b.rank ? a.rank > b.rank : a.left > b.left;
}

void BytePairMerger::consider(std::int32_t left) {
  const Symbol& symbol = symbols_[static_cast<std::size_t>(left)];
  if (symbol.next < 0) return;
  const Token right = symbols_[static_cast<std::size_t>(symbol.next)].token;
  const Merge merge = table_.find(symbol.token, right);
  if (merge.rank < 0) return;
  queue_.push_back({merge.rank, left, merge.result});
  std::push_heap(queue_.begin(), queue_.end(), later);
}

void BytePairMerger::merge(const Candidate& candidate) {
  Symbol& left = symbols_[static_cast<std::size_t>(candidate.left)];
  if (left.token < 0 || left.next < 0) return;
  Symbol& right = symbols_[static_cast<std::size_t>(left.next)];
  // A candidate is stale if a neighbour was merged first.
  if (table_.find(left.token, right.token).result != candidate.result) return;

  left.token = candidate.result;
  right.token = -1;
  left.next = right.next;
  if (left.next >= 0) symbols_[static_cast<std::size_t>(left.next)].previous = candidate.left;
  if (left.previous >= 0) consider(left.previous);
  consider(candidate.left);
}

void BytePairMerger::finish(std::vector<Token>& tokens) {
  for (std::size_t i = 0; i < symbols_.size(); ++i) consider(static_cast<std::int32_t>(i));
  while (!queue_.empty()) {
    std::pop_heap(queue_.begin(), queue_.end(), later);
    const Candidate candidate = queue_.back();
    queue_.pop_back();
    merge(candidate);
  }
  for (const Symbol& symbol : symbols_) {
    if (symbol.token >= 0) tokens.push_back(symbol.token);
  }
}

}  // namespace outrider::text

#include "runtime/draft/ngram/extended_bigram.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace outrider::draft {

ExtendedBigram::ExtendedBigram(TablesPtr tables) : tables_(std::move(tables)) {
  if (tables_->log_probs.size() != tables_->next.size())
    throw std::logic_error("ExtendedBigram: a table without probabilities");
}

/// Fills `ranks_`.
void ExtendedBigram::rank_first(const DraftContext& context, Token root, int rows) {
  ranks_.resize(static_cast<std::size_t>(rows));
  std::iota(ranks_.begin(), ranks_.end(), 0);
  if (context.sampling.options.temperature == 0) return;
  const std::span<const Token> next = tables_->next_of(root);
  const auto ranked = choice_.rank(context.sampling, next, tables_->log_probs_of(root),
                                   static_cast<std::int64_t>(context.committed.size()), rows);
  ranks_.clear();
  for (const sampling::RankedToken& one : ranked)
    ranks_.push_back(
        static_cast<int>(std::find(next.begin(), next.end(), one.token) - next.begin()));
}

/// @param depth  of the token, below the root
Token ExtendedBigram::best_after(const DraftContext& context, Token token, int depth) {
  const std::span<const Token> next = tables_->next_of(token);
  if (context.sampling.options.temperature == 0) return next[0];
  const auto position = static_cast<std::int64_t>(context.committed.size()) + depth;
  return choice_.rank(context.sampling, next, tables_->log_probs_of(token), position, 1)
      .front()
      .token;
}

void ExtendedBigram::add(const DraftContext& context, int rows, int length, TokenTree& tree) {
  rows = std::min(rows, tables_->top);
  if (rows < 1) return;
  const Token root = tree.token(0);
  rank_first(context, root, rows);
  row_.resize(static_cast<std::size_t>(length));
  for (std::size_t number = 0; number < ranks_.size(); ++number) {
    const int rank = ranks_[number];
    row_[0] = tables_->next_of(root)[static_cast<std::size_t>(rank)];
    const std::span<const Token> by_model = tables_->extension_of(root, rank);
    for (std::size_t i = 1; i < row_.size(); ++i)
      row_[i] = i <= by_model.size() ? by_model[i - 1]
                                     : best_after(context, row_[i - 1], static_cast<int>(i));
    tree.add_draft(row_, {.source = Source::kBigram, .rank = static_cast<int>(number)});
  }
}

}  // namespace outrider::draft

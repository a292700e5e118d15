#include "runtime/draft/gsd/levels_ahead.h"

#include <algorithm>

namespace outrider::draft {

int LevelsAhead::read(TreePasses& passes, NodeRanking& ranking, const engine::Logits& logits,
                      std::span<const engine::RowBefore> before, int depth, const Wanted& wanted) {
  const int count = static_cast<int>(before.size());
  const engine::Ahead form = {.levels = std::min(kLevels, wanted.deepest - depth),
                              .width = wanted.children == 1 ? 1 : kWidth,
                              .children = wanted.children};
  const int rows = form.levels * form.width;
  passes_ = 0;
  if (form.levels < 1 || !ranking.drafts_ahead() || rows > passes.room() ||
      count + rows > engine::AheadReader::kMostRows ||
      std::max(count, form.width) * form.children > engine::AheadReader::kMostFollowing)
    return ranking.read_level(logits, count, depth, wanted.children, wanted.keeps);
  passes_ = form.levels;
  chosen_.resize(static_cast<std::size_t>(rows));
  int first = kNone;
  const int first_row = passes.rows();
  passes.forward_ahead([&](engine::KvCache& cache) -> std::span<const Token> {
    first = ranking.read_ahead(
        {.cache = cache, .logits = logits, .before = before, .form = form, .rows = chosen_}, depth,
        wanted.keeps);
    note(ranking, first, count, first_row, form.width);
    return tokens_;
  });
  return first;
}

/// Notes what was drafted.
void LevelsAhead::note(NodeRanking& ranking, int first, int rows_before, int first_row, int width) {
  rows_.resize(static_cast<std::size_t>(first + rows_before));
  tokens_.clear();
  for (int i = 0; i < static_cast<int>(chosen_.size()); ++i) {
    const engine::RowAhead& one = chosen_[static_cast<std::size_t>(i)];
    if (one.parent == engine::RowAhead::kNone) {
      rows_.emplace_back();
      tokens_.push_back(0);
      continue;
    }
    const int level_before = i < width ? first : first + rows_before + i - i % width - width;
    const int parent = level_before + one.parent;
    rows_.push_back({.parent = parent, .rank = one.rank, .row = first_row + i});
    tokens_.push_back(ranking.answer(parent)[static_cast<std::size_t>(one.rank)].token);
  }
}

LevelsAhead::Found LevelsAhead::find(int parent, int rank) const {
  if (parent == kNone) return {kNone, kNone};
  for (auto at = static_cast<std::size_t>(parent) + 1; at < rows_.size(); ++at)
    if (rows_[at].parent == parent && rows_[at].rank == rank)
      return {static_cast<int>(at), rows_[at].row};
  return {kNone, kNone};
}

}  // namespace outrider::draft

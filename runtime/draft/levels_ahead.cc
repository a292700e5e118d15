#include "runtime/draft/levels_ahead.h"

#include <algorithm>

namespace outrider::draft {

bool LevelsAhead::fits(const engine::Ahead& form, int rows_before, int room) {
  const int rows = form.levels * form.width;
  return rows > 0 && rows <= room && rows_before + rows <= engine::AheadReader::kMostRows &&
         std::max(rows_before, form.width) * form.children <= engine::AheadReader::kMostFollowing;
}

std::span<engine::RowAhead> LevelsAhead::rows(const engine::Ahead& form) {
  chosen_.resize(static_cast<std::size_t>(form.levels * form.width));
  return chosen_;
}

LevelsAhead::Found LevelsAhead::find(int parent, Token token) const {
  if (parent == kNone) return {kNone, kNone};
  for (auto at = static_cast<std::size_t>(parent) + 1; at < rows_.size(); ++at)
    if (rows_[at].parent == parent && rows_[at].token == token)
      return {static_cast<int>(at), rows_[at].row};
  return {kNone, kNone};
}

}  // namespace outrider::draft

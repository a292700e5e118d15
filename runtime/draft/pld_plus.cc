#include "runtime/draft/pld_plus.h"

#include <algorithm>
#include <optional>

namespace outrider::draft {

int PldPlusH::start(std::span<const Token> text) {
  const auto [mine, theirs] =
      std::mismatch(observed_.begin(), observed_.end(), text.begin(), text.end());
  observed_.erase(mine, observed_.end());
  states_.truncate(static_cast<int>(observed_.size()));
  return states_.size();
}

engine::Taps PldPlusH::taps() const {
  engine::Taps taps;
  taps.layers = {options_.layer};
  return taps;
}

void PldPlusH::observe(const engine::Pass& pass, std::span<const int> rows) {
  const std::vector<float>& states = pass.taps->states.front();
  const std::size_t width = states.size() / pass.rows.size();
  for (const int row : rows) {
    const std::size_t i = static_cast<std::size_t>(row);
    observed_.push_back(pass.rows[i].token);
    states_.add(std::span(states).subspan(i * width, width));
  }
}

TokenTree PldPlusH::draft(std::span<const Token> committed, int budget) {
  const std::optional<RankedSource> best =
      states_.best(copy_sources(committed), static_cast<int>(committed.size()) - 1);
  const bool liked =
      best && (options_.threshold <= -1 || best->score >= static_cast<float>(options_.threshold));
  copied_from_ = liked ? best->position + 1 : kNotCopied;
  if (!liked) return TokenTree(committed.back());
  return copied_draft(committed, best->position, std::min(options_.draft_length, budget));
}

engine::Taps PldPlusA::taps() const {
  engine::Taps taps;
  taps.heads = options_.heads;
  return taps;
}

void PldPlusA::observe(const engine::Pass& pass, std::span<const int> rows) {
  if (pass.taps->heads.empty()) return;  // of a prompt before its last row
  aggregate(options_.aggregation, *pass.taps, rows.back(), scores_);
}

TokenTree PldPlusA::draft(std::span<const Token> committed, int budget) {
  const std::optional<RankedSource> best = most_attended(copy_sources(committed), scores_);
  copied_from_ = best ? best->position + 1 : kNotCopied;
  if (!best) return TokenTree(committed.back());
  return copied_draft(committed, best->position, std::min(options_.draft_length, budget));
}

}  // namespace outrider::draft

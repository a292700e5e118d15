#include "calibrate/replay/observations.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace outrider::calibrate {

void Observations::begin(const Answer& answer, engine::TapRequest wants, bool wants_rejected) {
  answer_ = &answer;
  wants_ = std::move(wants);
  wants_rejected_ = wants_rejected;
  pass_.rows.clear();
  first_ = 0;
  shown_ = 0;
}

void Observations::show(std::size_t end, draft::Drafter& drafter) {
  if (wants_.empty()) return;
  while (shown_ < end) {
    if (shown_ == first_ + pass_.rows.size()) next_pass(end);
    const std::size_t until = std::min(end, first_ + pass_.rows.size());
    rows_.resize(until - shown_);
    std::iota(rows_.begin(), rows_.end(), static_cast<int>(shown_ - first_));
    shown_ = until;
    if (!pass_.request.empty()) drafter.observe(pass_, {rows_});
  }
}

void Observations::show_rejected(const draft::TokenTree& tree, std::span<const int> rejected,
                                 draft::Drafter& drafter) {
  if (!wants_rejected_ || rejected.empty()) return;
  make_draft_pass(tree, wants_, draft_pass_);
  drafter.observe(draft_pass_, {{}, rejected});
}

void Observations::next_pass(std::size_t end) {
  constexpr std::size_t kRows = 64;
  first_ += pass_.rows.size();
  const std::size_t until = wants_rejected_ ? end : answer_->tokens.size() - 1;
  const std::size_t rows = std::min(kRows, until - first_);
  const bool all_before = first_ + rows < static_cast<std::size_t>(answer_->prompt);
  make_pass(*answer_, first_, rows, all_before ? wants_.before_last_row() : wants_, pass_);
}

}  // namespace outrider::calibrate

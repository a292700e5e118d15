// What CudaRowReader makes of what the device found.

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "runtime/engine/cuda/cuda_row_reader.h"

namespace outrider::engine::cuda {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Why a row is refused; nullptr: it is not.
const char* why_refused(const RowFound& found) {
  if (found.has_nan != 0) return "RowReader: a logit is NaN";
  if (!std::isfinite(found.largest)) return "RowReader: the largest logit is infinite";
  return nullptr;
}

}  // namespace

void CudaRowReader::take_results() {
  std::size_t row = 0, ranked = 0, summed = 0, with_best = 0;
  for (std::size_t number = 0; number < kKinds; ++number) {
    const auto kind = static_cast<Kind>(number);
    for (const Asked& asked : asked_[number]) {
      const RowFound& found = memory_.found[row++];
      RowAnswer& answer = *asked.answer;
      // A row that is refused has its places too.
      const std::size_t of_ranked = is_ranked(kind) ? ranked++ : 0;
      const std::size_t of_summed = is_summed(kind) ? summed++ : 0;
      const std::size_t of_best = is_summed(kind) && kind != Kind::kSummed ? with_best++ : 0;
      if (const char* why = why_refused(found)) {
        if (!asked.question->may_be_rejected) throw std::logic_error(why);
        answer.token = RowAnswer::kRefused;
        continue;
      }
      if (asked.question->wants_likeliest()) {
        answer.token = found.likeliest;
        if (asked.question->ranked > 0)
          answer.ranked.assign(1, {found.likeliest, found.largest, found.largest,
                                   static_cast<float>(found.largest)});
      }
      if (is_ranked(kind)) {
        answer.units = found.units;
        take_ranked(of_ranked, std::min(asked.question->ranked, width_), answer);
      } else if (!is_summed(kind)) {
        answer.token = found.token;
      } else {
        answer.likeliest = found.likeliest;
        answer.largest = static_cast<float>(found.largest);
        answer.best.clear();
        if (kind != Kind::kSummed) take_best(of_best, answer);
        take_sums(of_summed, answer);
      }
    }
  }
}

void CudaRowReader::take_ranked(std::size_t place, int count, RowAnswer& answer) const {
  answer.ranked.clear();
  const std::size_t first = place * at(most_ranked_);
  for (const RankedToken& one : memory_.ranked.span().subspan(first, at(count))) {
    if (one.token >= width_) break;  // there are no more
    answer.ranked.push_back({one.token, one.value, one.score, one.logit});
  }
}

void CudaRowReader::take_best(std::size_t place, RowAnswer& answer) const {
  for (const ScoredToken& one : memory_.best.span().subspan(place * at(top_), at(top_)))
    answer.best.push_back({static_cast<float>(one.score), one.token});
  std::sort(answer.best.begin(), answer.best.end());
}

/// Adds the sums of blocks, in their order.
void CudaRowReader::take_sums(std::size_t place, RowAnswer& answer) const {
  const std::size_t blocks = at(exp_blocks_of(width_));
  answer.rest = {};
  for (const ExpBlock& one : memory_.blocks.span().subspan(place * blocks, blocks)) {
    answer.rest.exp += static_cast<double>(one.exp);
    answer.rest.exp_times += static_cast<double>(one.exp_times);
  }
}

}  // namespace outrider::engine::cuda

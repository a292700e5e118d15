#include "calibrate/pld_plus/head_search.h"

#include <algorithm>

#include "runtime/artifacts/copy_heads.h"

namespace outrider::calibrate {

void HeadHits::add(const HeadHits& other) {
  hits.resize(std::max(hits.size(), other.hits.size()));
  for (std::size_t i = 0; i < other.hits.size(); ++i) hits[i] += other.hits[i];
  tokens += other.tokens;
}

void HeadSearch::add(const Answer& answer) {
  const int length = static_cast<int>(answer.text.size());
  if (length <= answer.prompt) return;
  engine::Taps taps;
  taps.best_keys = true;
  const std::span<const Token> forwarded(answer.text.data(), static_cast<std::size_t>(length - 1));
  forward_tapped(target_, forwarded, answer.prompt - 1, taps,
                 [&](const engine::Pass& pass, int first) {
                   count(answer, taps, first, static_cast<int>(pass.rows.size()));
                 });
}

void HeadSearch::count(const Answer& answer, const engine::Taps& taps, int first, int rows) {
  const std::size_t heads =
      static_cast<std::size_t>(target_.config().layers * target_.config().heads);
  HeadHits& counted = by_task_[answer.task];
  counted.hits.resize(heads);
  for (int row = 0; row < rows; ++row) {
    // The token at t was said after row t - 1.
    const int t = first + row + 1;
    if (answer.loops_at(static_cast<std::size_t>(t))) continue;
    const std::optional<int> origin = copied_from(answer, t);
    if (!origin) continue;
    ++counted.tokens;
    const std::int32_t* best_key = taps.best_key.data() + static_cast<std::size_t>(row) * heads;
    for (std::size_t head = 0; head < heads; ++head)
      counted.hits[head] += best_key[head] == *origin;
  }
}

HeadHits HeadSearch::total() const {
  HeadHits total;
  for (const auto& [task, counted] : by_task_) total.add(counted);
  return total;
}

std::vector<engine::Taps::Head> ranked_heads(const HeadHits& hits, int heads_per_layer) {
  std::vector<engine::Taps::Head> heads;
  for (const int i : artifacts::ranked_by_hits(hits.hits))
    heads.push_back({i / heads_per_layer + 1, i % heads_per_layer});
  return heads;
}

}  // namespace outrider::calibrate

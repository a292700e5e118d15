#include "calibrate/pld_plus/head_search.h"

#include <algorithm>

#include "runtime/draft/copy/pld_plus_heads.h"
#include "runtime/engine/forward_text.h"

namespace outrider::calibrate {

void HeadHits::add(const HeadHits& other) {
  hits.resize(std::max(hits.size(), other.hits.size()));
  for (std::size_t i = 0; i < other.hits.size(); ++i) hits[i] += other.hits[i];
  tokens += other.tokens;
}

void HeadSearch::add(const Answer& answer) {
  const int length = static_cast<int>(answer.tokens.size());
  if (length <= answer.prompt) return;
  const std::span<const Token> forwarded(answer.tokens.data(),
                                         static_cast<std::size_t>(length - 1));
  engine::forward_text(target_, forwarded,
                       {.request = {.best_keys = true}, .observed_from = answer.prompt - 1},
                       [&](const engine::Pass& pass, int first) { count(answer, pass, first); });
}

void HeadSearch::count(const Answer& answer, const engine::Pass& pass, int first) {
  const std::size_t heads =
      static_cast<std::size_t>(target_.config().layers * target_.config().heads);
  HeadHits& counted = by_task_[answer.task];
  counted.hits.resize(heads);
  for (int row = 0; row < static_cast<int>(pass.rows.size()); ++row) {
    // The token at t was chosen after row t - 1.
    const int t = first + row + 1;
    if (answer.loops_at(static_cast<std::size_t>(t))) continue;
    const std::optional<int> origin = copied_from(answer, t);
    if (!origin) continue;
    ++counted.tokens;
    const auto best_keys = pass.observed.best_keys(row);
    for (std::size_t head = 0; head < heads; ++head)
      counted.hits[head] += best_keys[head] == *origin;
  }
}

HeadHits HeadSearch::total() const {
  HeadHits total;
  for (const auto& [task, counted] : by_task_) total.add(counted);
  return total;
}

std::vector<engine::Head> ranked_heads(const HeadHits& hits, int heads_per_layer) {
  std::vector<engine::Head> heads;
  for (const int i : draft::ranked_by_hits(hits.hits))
    heads.push_back({i / heads_per_layer + 1, i % heads_per_layer});
  return heads;
}

}  // namespace outrider::calibrate

#include "calibrate/pld_plus/copied_tokens.h"

#include "runtime/draft/copy/copy_sources.h"

namespace outrider::calibrate {

std::optional<int> copied_from(const Answer& answer, int t) {
  const auto at = [&](int i) { return answer.tokens[static_cast<std::size_t>(i)]; };
  const auto before = std::span(answer.tokens).first(static_cast<std::size_t>(t));
  std::optional<int> best;
  int longest = 0;
  for (int r = 0; r < answer.prompt; ++r) {
    if (at(r) != at(t)) continue;
    const int run = draft::matching_tokens(before, r - 1, t);
    if (run < longest) continue;
    longest = run;
    best = r;
  }
  return best;
}

std::int64_t copied_tokens(const Answer& answer) {
  std::int64_t tokens = 0;
  for (int t = answer.prompt; t < static_cast<int>(answer.tokens.size()); ++t)
    tokens += !answer.loops_at(static_cast<std::size_t>(t)) && copied_from(answer, t).has_value();
  return tokens;
}

}  // namespace outrider::calibrate

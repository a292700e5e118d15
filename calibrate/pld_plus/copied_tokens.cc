#include "calibrate/pld_plus/copied_tokens.h"

#include <algorithm>

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

void forward_tapped(engine::Engine& target, std::span<const Token> text, int first,
                    const engine::TapRequest& request, const OnRows& on_rows,
                    std::optional<int> with_logits) {
  constexpr int kRows = 64;
  const int length = static_cast<int>(text.size());
  engine::KvCache cache = target.make_cache(length);
  engine::Pass pass;
  pass.sequences = {&cache};
  for (int begin = 0; begin < length;) {
    const bool tapped = begin >= first;
    const int rows = std::min(kRows, (tapped ? length : first) - begin);
    pass.rows.clear();
    if (tapped) pass.request = request;
    pass.add_chain(0, text.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(rows)),
                   false);
    for (int row = 0; with_logits && row < rows; ++row)
      pass.rows[static_cast<std::size_t>(row)].wants_logits = begin + row >= *with_logits;
    target.forward(pass);
    cache.commit_first(rows);
    if (tapped) on_rows(pass, begin);
    begin += rows;
  }
}

}  // namespace outrider::calibrate

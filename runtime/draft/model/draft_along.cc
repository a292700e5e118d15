#include "runtime/draft/model/draft_along.h"

#include <algorithm>

#include "runtime/engine/forward_text.h"

namespace outrider::draft {

void draft_along(engine::Engine& draft, sampling::Chooser& chooser,
                 sampling::DraftQuestion question, std::span<const Token> text, int first,
                 const sampling::SequenceSampling& sampling, const OnDrawn& on_drawn) {
  const int last = static_cast<int>(text.size()) - 1;  // whose row is not needed
  const int forwarded = std::min(last, draft.config().context);
  if (forwarded < first) return;
  const bool counts_tokens = sampling.options.uses_counts();
  sampling::TokenCounts counts = sampling.counts;
  sampling::DraftAnswer drawn;
  engine::forward_text(
      draft, text.first(static_cast<std::size_t>(forwarded)), {.logits_from = first - 1},
      [&](const engine::Pass& pass, int begin) {
        const int unwanted = std::max(0, first - 1 - begin);
        for (int row = unwanted; row < std::ssize(pass.rows); ++row) {
          const auto position = static_cast<std::size_t>(begin + row) + 1;
          if (counts_tokens && begin + row >= first) counts.add(text[position - 1]);
          question.row = row - unwanted;
          question.position = static_cast<std::int64_t>(position);
          chooser.answer(pass.logits, sampling.with(counts), {&question, 1}, {&drawn, 1});
          on_drawn(position, drawn, {&pass.logits, question.row});
        }
      });
}

}  // namespace outrider::draft

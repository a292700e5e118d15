#include "runtime/draft/copy/pld_plus_a_drafter.h"

namespace outrider::draft {

int PldPlusA::begin(const TextStart& text) {
  sources_.reserve(static_cast<std::size_t>(text.most));
  attention_.reserve(static_cast<std::size_t>(text.most) * options_.heads.size());
  return PldPlus::begin(text);
}

std::int64_t PldPlusA::text_bytes(int tokens) const {
  // A number of each source, its attention by every head, and the row that was observed last.
  const std::size_t each = sizeof(int) + 2 * options_.heads.size() * sizeof(float);
  return PldPlus::text_bytes(tokens) + tokens * static_cast<std::int64_t>(each);
}

DrafterTraits PldPlusA::traits() const {
  DrafterTraits traits = PldPlus::traits();
  traits.wants = {.heads = options_.heads};
  return traits;
}

void PldPlusA::observe(const engine::Pass& pass, const ObservedRows& rows) {
  // In a prompt, heads are only requested for the last row.
  if (!pass.observed.has_attention(options_.heads.front())) return;
  observed_.copy_attention(pass.observed, rows.kept.back());
}

void PldPlusA::score(const DraftContext& context, std::vector<RankedSource>& scored) {
  scored.clear();
  copy_sources(context.committed, sources_);
  if (sources_.empty()) return;
  observed_.attention(0, options_.heads, sources_, attention_);
  score_by_attention(options_.aggregation, sources_, attention_, scored);
}

}  // namespace outrider::draft

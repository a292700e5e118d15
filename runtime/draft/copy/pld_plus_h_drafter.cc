#include "runtime/draft/copy/pld_plus_h_drafter.h"

#include <algorithm>

namespace outrider::draft {

void PldPlusH::take_over(const Drafter& like, int tokens) {
  const auto& same = static_cast<const PldPlusH&>(like);
  if (same.options_.layer != options_.layer) return;
  const std::size_t count = std::min(static_cast<std::size_t>(tokens), same.observed_.size());
  if (count <= observed_.size()) return;
  observed_.assign(same.observed_.begin(),
                   same.observed_.begin() + static_cast<std::ptrdiff_t>(count));
  states_.copy_first(same.states_, static_cast<int>(count));
}

int PldPlusH::begin(const TextStart& text) {
  PldPlus::begin(text);
  observed_.resize(common_prefix(observed_, text.text.first(static_cast<std::size_t>(text.kept))));
  observed_.reserve(static_cast<std::size_t>(text.most));
  states_.truncate(static_cast<int>(observed_.size()));
  states_.reserve(text.most);
  sources_.reserve(static_cast<std::size_t>(text.most));
  logits_.clear();
  return states_.size();
}

std::int64_t PldPlusH::text_bytes(int tokens) const {
  const std::size_t each =
      sizeof(Token) + sizeof(int) + static_cast<std::size_t>(options_.width) * sizeof(float);
  return PldPlus::text_bytes(tokens) + tokens * static_cast<std::int64_t>(each);
}

DrafterTraits PldPlusH::traits() const {
  DrafterTraits traits = PldPlus::traits();
  traits.wants = {.layers = {options_.layer}, .logits = options_.logit_weight != 0};
  return traits;
}

void PldPlusH::observe(const engine::Pass& pass, const ObservedRows& rows) {
  for (const int row : rows.kept) {
    observed_.push_back(pass.rows[static_cast<std::size_t>(row)].token);
    states_.add(pass.observed.state(options_.layer, row));
  }
  if (options_.logit_weight == 0) return;
  const std::span<const float> logits = pass.logits_of(rows.kept.back());
  logits_.assign(logits.begin(), logits.end());
}

void PldPlusH::score(const DraftContext& context, std::vector<RankedSource>& scored) {
  const std::span<const Token> committed = context.committed;
  copy_sources(committed, sources_);
  states_.score(sources_, static_cast<int>(committed.size()) - 1, scored);
  if (options_.logit_weight != 0) add_logits(context, logits_, options_.logit_weight, scored);
}

}  // namespace outrider::draft

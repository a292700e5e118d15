#include "runtime/draft/copy/pld_plus.h"

namespace outrider::draft {

void PldPlus::fill(const DraftContext& context, TokenTree& tree) {
  const std::span<const Token> committed = context.committed;
  score(context, scored_);
  best_sources(committed, scored_, branches_, best_);
  if (threshold_ > -1)
    std::erase_if(best_, [&](const RankedSource& source) {
      return source.score < static_cast<float>(threshold_);
    });
  const int length = lengths_ == nullptr || best_.empty()
                         ? draft_length_
                         : lengths_->choose(committed, best_.front());
  add_copies(tree, committed, best_, length);
}

int PldPlusH::start(std::span<const Token> text, int kept) {
  observed_.resize(common_prefix(observed_, text.first(static_cast<std::size_t>(kept))));
  states_.truncate(static_cast<int>(observed_.size()));
  logits_ = {};
  return states_.size();
}

engine::TapRequest PldPlusH::wants() const {
  return {.layers = {options_.layer}, .logits = options_.logit_weight != 0};
}

void PldPlusH::observe(const engine::Pass& pass, std::span<const int> rows) {
  for (const int row : rows) {
    observed_.push_back(pass.rows[static_cast<std::size_t>(row)].token);
    states_.add(pass.observed.state(options_.layer, row));
  }
  if (options_.logit_weight != 0) logits_ = pass.logits_of(rows.back());
}

void PldPlusH::score(const DraftContext& context, std::vector<RankedSource>& scored) {
  const std::span<const Token> committed = context.committed;
  copy_sources(committed, sources_);
  states_.score(sources_, static_cast<int>(committed.size()) - 1, scored);
  if (options_.logit_weight != 0) add_logits(context, logits_, options_.logit_weight, scored);
}

engine::TapRequest PldPlusA::wants() const { return {.heads = options_.heads}; }

void PldPlusA::observe(const engine::Pass& pass, std::span<const int> rows) {
  // In a prompt, heads are only requested for the last row.
  if (!pass.observed.has_attention(options_.heads.front())) return;
  observed_ = &pass.observed;
  row_ = rows.back();
}

void PldPlusA::score(const DraftContext& context, std::vector<RankedSource>& scored) {
  scored.clear();
  copy_sources(context.committed, sources_);
  if (sources_.empty()) return;
  observed_->attention(row_, options_.heads, sources_, attention_);
  score_by_attention(options_.aggregation, sources_, attention_, scored);
}

}  // namespace outrider::draft

#include "runtime/serve/token_scorer.h"

#include <algorithm>

namespace outrider::serve {

TokenScorer::TokenScorer(engine::Engine& engine, int top)
    : chooser_(sampling::make_chooser(engine, std::max(1, top))), top_(top) {}

void TokenScorer::read(const engine::Logits& logits, int row) {
  sampling::AskedRow asked = {.row = row, .scores = &scores_};
  chooser_->answer(logits, {&asked, 1});
  row_ = {&logits, row};
}

ScoredToken TokenScorer::score(Token token) const {
  ScoredToken scored = {.token = token, .best = scores_};
  const auto known = std::find(scores_.ids.begin(), scores_.ids.end(), token);
  if (known != scores_.ids.end()) {
    scored.log_prob = scores_.log_probs[static_cast<std::size_t>(known - scores_.ids.begin())];
  } else {
    const auto logit = [this](Token one) { return chooser_->logit(row_, one); };
    scored.log_prob = scores_.log_probs[0] + (logit(token) - logit(scores_.ids[0]));
  }
  scored.best.ids.resize(static_cast<std::size_t>(top_));
  scored.best.log_probs.resize(static_cast<std::size_t>(top_));
  return scored;
}

}  // namespace outrider::serve

#include "calibrate/replay/recomputed.h"

#include <span>

#include "runtime/decode/verify.h"
#include "runtime/draft/drafter.h"
#include "runtime/engine/forward_text.h"
#include "runtime/engine/grow_cache.h"

namespace outrider::calibrate {

void Recomputed::make_pass(const Answer& answer, std::size_t first, std::size_t rows,
                           const engine::TapRequest& request, engine::Pass& pass) {
  if (first == 0)
    cache_ = target_.make_cache(static_cast<int>(answer.tokens.size()) +
                                draft::DrafterTraits::kUsualNodes);
  engine::TextOptions reading = {.rows = static_cast<int>(rows), .request = request};
  if (request.logits) reading.logits_from = answer.prompt - 1;
  engine::forward_text(target_, *cache_, pass, std::span(answer.tokens).subspan(first, rows),
                       reading);
}

void Recomputed::make_draft_pass(const draft::TokenTree& tree, const engine::TapRequest& request,
                                 engine::Pass& pass) {
  const int tokens = cache_->length() + tree.size();
  engine::grow_cache(target_, cache_, tokens, tokens);
  pass.sequences = {cache_.get()};
  pass.request = request;
  pass.rows.clear();
  decode::add_rows(tree, 0, pass);
  target_.forward(pass);
}

}  // namespace outrider::calibrate

#include "calibrate/replay/recomputed.h"

#include <span>

#include "runtime/engine/forward_text.h"

namespace outrider::calibrate {

void Recomputed::make_pass(const Answer& answer, std::size_t first, std::size_t rows,
                           const engine::TapRequest& request, engine::Pass& pass) {
  if (first == 0) cache_ = target_.make_cache(static_cast<int>(answer.tokens.size()));
  engine::TextOptions reading = {.rows = static_cast<int>(rows), .request = request};
  if (request.logits) reading.logits_from = answer.prompt - 1;
  engine::forward_text(target_, *cache_, pass, std::span(answer.tokens).subspan(first, rows),
                       reading);
}

}  // namespace outrider::calibrate

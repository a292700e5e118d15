#include "runtime/engine/text_step.h"

#include <algorithm>

namespace outrider::engine {

void TextStep::add_rows(Pass& pass) {
  const int begin = cache_.length();
  const bool observed = begin >= options_.observed_from;
  count_ = std::min(options_.rows, (observed ? end_ : options_.observed_from) - begin);
  const int first = static_cast<int>(pass.rows.size());
  add_chunk(pass, pass.add_sequence(cache_), begin, count_);
  for (int row = std::max(0, options_.logits_from - begin); row < count_; ++row)
    pass.rows[static_cast<std::size_t>(first + row)].wants_logits = true;
  if (observed) pass.request.merge(options_.request);
  if (begin + count_ == end_) pass.request.merge(options_.at_end);
}

void TextStep::take(const StepRows& /*rows*/) { cache_.commit_first(count_); }

void forward_chunks(Engine& engine, Pass& pass, TextStep& step) {
  while (!step.is_done()) forward_step(engine, pass, step);
}

}  // namespace outrider::engine

#include "runtime/engine/forward_text.h"

#include <algorithm>

namespace outrider::engine {

bool forward_text(Engine& engine, KvCache& cache, Pass& pass, std::span<const Token> tokens,
                  const TextOptions& options, const OnRows& on_rows) {
  const int before = cache.length();
  const int end = before + static_cast<int>(tokens.size());
  pass.sequences = {&cache};
  for (int begin = before; begin < end; begin = cache.length()) {
    if (options.go_on && !options.go_on()) return false;
    const bool observed = begin >= options.observed_from;
    const int rows = std::min(options.rows, (observed ? end : options.observed_from) - begin);
    pass.rows.clear();
    pass.add_chain(
        0, tokens.subspan(static_cast<std::size_t>(begin - before), static_cast<std::size_t>(rows)),
        false);
    for (int row = std::max(0, options.logits_from - begin); row < rows; ++row)
      pass.rows[static_cast<std::size_t>(row)].wants_logits = true;
    pass.request = observed ? options.request : TapRequest();
    if (begin + rows == end) pass.request.merge(options.at_end);
    engine.forward(pass);
    cache.commit_first(rows);
    if (observed && on_rows) on_rows(pass, begin);
  }
  return true;
}

bool forward_text(Engine& engine, std::span<const Token> tokens, const TextOptions& options,
                  const OnRows& on_rows) {
  const auto cache = engine.make_cache(static_cast<int>(tokens.size()));
  Pass pass;
  return forward_text(engine, *cache, pass, tokens, options, on_rows);
}

}  // namespace outrider::engine

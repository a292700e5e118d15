#include "runtime/engine/forward_text.h"

#include <algorithm>

namespace outrider::engine {

bool forward_rows(Engine& engine, KvCache& cache, Pass& pass, int count, const AddRows& add_rows,
                  const TextOptions& options, const OnRows& on_rows) {
  const int end = cache.length() + count;
  pass.sequences = {&cache};
  for (int begin = cache.length(); begin < end; begin = cache.length()) {
    if (options.go_on && !options.go_on()) return false;
    const bool observed = begin >= options.observed_from;
    const int rows = std::min(options.rows, (observed ? end : options.observed_from) - begin);
    pass.rows.clear();
    add_rows(pass, begin, rows);
    for (int row = std::max(0, options.logits_from - begin); row < rows; ++row)
      pass.rows[static_cast<std::size_t>(row)].wants_logits = true;
    const TapRequest none;
    pass.request = observed ? options.request : none;  // copied: its capacity stays
    if (begin + rows == end) pass.request.merge(options.at_end);
    engine.forward(pass);
    cache.commit_first(rows);
    if (observed && on_rows) on_rows(pass, begin);
  }
  return true;
}

bool forward_text(Engine& engine, KvCache& cache, Pass& pass, std::span<const Token> tokens,
                  const TextOptions& options, const OnRows& on_rows) {
  const int before = cache.length();
  const auto add_chain = [&](Pass& to, int first, int count) {
    to.add_chain(
        0,
        tokens.subspan(static_cast<std::size_t>(first - before), static_cast<std::size_t>(count)),
        false);
  };
  return forward_rows(engine, cache, pass, static_cast<int>(tokens.size()), std::ref(add_chain),
                      options, on_rows);
}

bool forward_text(Engine& engine, std::span<const Token> tokens, const TextOptions& options,
                  const OnRows& on_rows) {
  const auto cache = engine.make_cache(static_cast<int>(tokens.size()));
  Pass pass;
  return forward_text(engine, *cache, pass, tokens, options, on_rows);
}

}  // namespace outrider::engine

#include "calibrate/ngrams/committed_prefix.h"

namespace outrider::calibrate {

engine::KvCache cache_behind(engine::Engine& engine, std::span<const Token> before, int room) {
  const int tokens = static_cast<int>(before.size());
  engine::KvCache cache = engine.make_cache(tokens + room);
  if (before.empty()) return cache;
  engine::Pass pass;
  pass.sequences = {&cache};
  pass.add_chain(0, before, false);
  engine.forward(pass);
  cache.commit_first(tokens);
  return cache;
}

}  // namespace outrider::calibrate

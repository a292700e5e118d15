#include "calibrate/ngrammys/committed_prefix.h"

#include "runtime/engine/forward_text.h"

namespace outrider::calibrate {

std::unique_ptr<engine::KvCache> cache_after(engine::Engine& engine, std::span<const Token> before,
                                             int room) {
  auto cache = engine.make_cache(static_cast<int>(before.size()) + room);
  engine::Pass pass;
  engine::forward_text(engine, *cache, pass, before);
  return cache;
}

}  // namespace outrider::calibrate

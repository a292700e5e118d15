#pragma once

#include <memory>
#include <span>

#include "runtime/base/token.h"
#include "runtime/engine/engine.h"

namespace outrider::calibrate {

/// A cache with these tokens committed, and room for `room` more. No tokens: an empty cache.
std::unique_ptr<engine::KvCache> cache_after(engine::Engine& engine, std::span<const Token> before,
                                             int room);

}  // namespace outrider::calibrate

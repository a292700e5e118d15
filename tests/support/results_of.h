#pragma once

#include <string>

#include "runtime/decode/decode_loop.h"

namespace outrider::test {

/// What a drafter's drafts came to; zeros if it had none.
inline draft::DrafterResults results_of(const decode::DecodeResult& result,
                                        const std::string& drafter) {
  for (const draft::DrafterResults& one : result.stats.by_drafter)
    if (one.name == drafter) return one;
  return {.name = drafter};
}

}  // namespace outrider::test

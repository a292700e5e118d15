#pragma once

#include "runtime/base/portable.h"

namespace outrider::engine::cpu {

/// The scale of a block by its largest magnitude, and the factor that makes quants of its numbers.
struct BlockRounding {
  float scale;
  float factor;
};

OUTRIDER_HD inline BlockRounding block_rounding(float most) {
  // A block whose numbers are too small for a finite quotient becomes zero.
  const bool vanishes = !(most >= 1e-30f);
  return {vanishes ? 0.0f : most / 127.0f, vanishes ? 0.0f : 127.0f / most};
}

}  // namespace outrider::engine::cpu

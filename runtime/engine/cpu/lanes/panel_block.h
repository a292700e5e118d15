#pragma once

#include "runtime/engine/cpu/lanes/unrolled.h"
#include "runtime/engine/cpu/lanes/weight_scales.h"
#include "runtime/engine/cpu/packing.h"

namespace outrider::engine::cpu {

/// One unpacked block of a panel, and its contribution to a row's sums. Its products are integers
/// and so exact; WeightScales scales and adds them.
template <class L, class Quants, Packing P>
class PanelBlock {
 public:
  using Layout = BlockLayout<P>;

  /// Block `b` of a panel.
  PanelBlock(const std::uint8_t* panel, std::size_t b)
      : quants_(Quants::template of<Layout::kBits>(Layout::quants(panel, b))), scales_(panel, b) {}

  /// Adds the block's contribution to the sums of R rows.
  /// @param activations  [R, 32]
  template <int R>
  OUTRIDER_INLINE void add_to(L (&sums)[R], const std::int8_t* activations,
                              const BlockScale* rows) const {
    constexpr int kBits = Layout::kBits;
    L dots[R];
    if constexpr (Layout::kForm == ScaleForm::kSuperHalves) {
      quants_.template dot_halves<kBits>(activations, rows, scales_.halves(), dots);
    } else {
      std::int32_t starts[R] = {};
      if constexpr (Layout::kForm == ScaleForm::kHalf)
        unrolled<R>([&](int r) OUTRIDER_INLINE { starts[r] = Layout::start(rows[r]); });
      quants_.template dot<kBits>(activations, starts, dots);
    }
    unrolled<R>([&](int r) OUTRIDER_INLINE { sums[r] = scales_.added(sums[r], dots[r], rows[r]); });
  }

 private:
  Quants quants_;
  WeightScales<L, P> scales_;
};

}  // namespace outrider::engine::cpu

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
      : PanelBlock(Quants::template of<Layout::kBits>(Layout::quants(panel, b)), {panel, b}) {}
  PanelBlock(const Quants& quants, const WeightScales<L, P>& scales)
      : quants_(quants), scales_(scales) {}

  /// Adds the block's contribution to the sums of R rows.
  /// @param activations  [R, 32]
  template <int R>
  OUTRIDER_INLINE void add_to(L (&sums)[R], const std::int8_t* activations,
                              const BlockScale* rows) const {
    constexpr int kBits = Layout::kBits;
    L dots[R];
    if constexpr (has_halves(Layout::kForm)) {
      quants_.template dot_halves<kBits>(activations, rows, scales_.halves(), dots);
    } else {
      std::int32_t starts[R];
      set_starts(rows, starts);
      quants_.template dot<kBits>(activations, starts, dots);
    }
    unrolled<R>([&](int r) OUTRIDER_INLINE { sums[r] = scales_.added(sums[r], dots[r], rows[r]); });
  }

  /// Adds the products of two panels' blocks.
  template <int R>
  OUTRIDER_INLINE static void add_pair_to(const PanelBlock& first, const PanelBlock& second,
                                          L (&sums)[2][R], const std::int8_t* activations,
                                          const BlockScale* rows) {
    L dots[2][R];
    std::int32_t starts[R];
    set_starts(rows, starts);
    Quants::template dot_pair<Layout::kBits>(first.quants_, second.quants_, activations, starts,
                                             dots);
    unrolled<R>([&](int r) OUTRIDER_INLINE {
      sums[0][r] = first.scales_.added(sums[0][r], dots[0][r], rows[r]);
      sums[1][r] = second.scales_.added(sums[1][r], dots[1][r], rows[r]);
    });
  }

 private:
  template <int R>
  OUTRIDER_INLINE static void set_starts(const BlockScale* rows, std::int32_t (&starts)[R]) {
    unrolled<R>([&](int r) OUTRIDER_INLINE {
      starts[r] = 0;
      if constexpr (has_start(Layout::kForm)) starts[r] = Layout::start(rows[r]);
    });
  }

  Quants quants_;
  WeightScales<L, P> scales_;
};

}  // namespace outrider::engine::cpu

#pragma once

#include "runtime/engine/lanes/unrolled.h"
#include "runtime/engine/packing.h"

namespace outrider::engine {

/// One block of a panel, unpacked, and its contribution to a row's sums. The products inside are
/// integers and so exact; then come one multiplication and one fused multiply-add, or two with a
/// minimum, in a fixed order.
template <class L, class Quants, Packing P>
class PanelBlock {
 public:
  using Layout = BlockLayout<P>;

  /// Block `b` of a panel.
  PanelBlock(const std::uint8_t* panel, std::size_t b) {
    const std::uint8_t* group = panel + b / Layout::kGroup * Layout::kGroupBytes;
    const std::size_t i = b % Layout::kGroup;
    quants_ = Quants::template of<Layout::kBits>(group + Layout::kHeader + i * Layout::kQuants);
    scale_ = half_at(group);
    if constexpr (Layout::kForm == ScaleForm::kHalfAndMin) minimum_ = half_at(group + 32);
    if constexpr (Layout::kForm == ScaleForm::kSuperAndMin) {
      scale_ = scale_ * L::from_bytes(group + 64 + 16 * i);
      minimum_ = L::zero() - half_at(group + 32) * L::from_bytes(group + 64 + 128 + 16 * i);
    }
    if constexpr (Layout::kForm == ScaleForm::kSuperHalves)
      halves_ = reinterpret_cast<const std::int8_t*>(group + 32 + 32 * i);
  }

  /// Adds the block's part to the sums of R rows.
  /// @param activations  [R, 32]
  template <int R>
  OUTRIDER_INLINE void add_to(L (&sums)[R], const std::int8_t* activations,
                              const BlockScale* rows) const {
    constexpr int kBits = Layout::kBits;
    L dots[R];
    if constexpr (Layout::kForm == ScaleForm::kSuperHalves) {
      quants_.template dot_halves<kBits>(activations, rows, halves_, dots);
    } else {
      std::int32_t starts[R] = {};
      if constexpr (Layout::kForm == ScaleForm::kHalf)
        unrolled<R>([&](int r) OUTRIDER_INLINE { starts[r] = Layout::start(rows[r]); });
      quants_.template dot<kBits>(activations, starts, dots);
    }
    unrolled<R>([&](int r) OUTRIDER_INLINE {
      sums[r] = L::fma(scale_ * L::broadcast(rows[r].scale), dots[r], sums[r]);
      if constexpr (Layout::kForm == ScaleForm::kHalfAndMin ||
                    Layout::kForm == ScaleForm::kSuperAndMin)
        sums[r] = L::fma(minimum_, L::broadcast(rows[r].scaled_sum), sums[r]);
    });
  }

 private:
  static L half_at(const std::uint8_t* p) { return L::load(reinterpret_cast<const Half*>(p)); }

  Quants quants_;
  L scale_;
  L minimum_;
  const std::int8_t* halves_;  // [2, 16] factors of the first and the last 16 inputs
};

}  // namespace outrider::engine

#pragma once

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
    quants_ = Quants::template load<Layout::kBits>(group + Layout::kHeader + i * Layout::kQuants);
    scale_ = half_at(group);
    if constexpr (Layout::kForm == ScaleForm::kHalfAndMin) minimum_ = half_at(group + 32);
    if constexpr (Layout::kForm == ScaleForm::kSuperAndMin) {
      scale_ = scale_ * L::from_bytes(group + 64 + 16 * i);
      minimum_ = L::zero() - half_at(group + 32) * L::from_bytes(group + 64 + 128 + 16 * i);
    }
    if constexpr (Layout::kForm == ScaleForm::kSuperHalves)
      halves_ = reinterpret_cast<const std::int8_t*>(group + 32 + 32 * i);
  }

  /// @tparam kAlone  few rows: nothing else keeps the processor busy while one product waits
  template <bool kAlone>
  L add_to(L sum, const std::int8_t* activations, const BlockScale& row) const {
    constexpr int kBits = Layout::kBits;
    const L scale = scale_ * L::broadcast(row.scale);
    if constexpr (Layout::kForm == ScaleForm::kHalf) {
      return L::fma(scale, quants_.template dot<kBits, kAlone>(activations, Layout::start(row)),
                    sum);
    } else if constexpr (Layout::kForm == ScaleForm::kSuperHalves) {
      const L dot = quants_.template dot_halves<kBits>(activations, row.minus_32_first,
                                                       row.minus_32_last, halves_);
      return L::fma(scale, dot, sum);
    } else {
      sum = L::fma(scale, quants_.template dot<kBits, kAlone>(activations, 0), sum);
      return L::fma(minimum_, L::broadcast(row.scaled_sum), sum);
    }
  }

 private:
  static L half_at(const std::uint8_t* p) { return L::load(reinterpret_cast<const Half*>(p)); }

  Quants quants_;
  L scale_;
  L minimum_;
  const std::int8_t* halves_;  // [2, 16] factors of the first and the last 16 inputs
};

}  // namespace outrider::engine

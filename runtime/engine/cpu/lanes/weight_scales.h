#pragma once

#include <type_traits>

#include "runtime/engine/cpu/lanes/unrolled.h"
#include "runtime/engine/cpu/packing.h"

namespace outrider::engine::cpu {

/// The scales and minimums of one block of a panel. The block's integer products are scaled and
/// added to a row's sums by one multiplication and one fused multiply-add, or two with a minimum,
/// in a fixed order.
template <class L, Packing P>
class WeightScales {
 public:
  using Layout = BlockLayout<P>;

  WeightScales() = default;
  /// The scales of block `b` of a panel.
  WeightScales(const std::uint8_t* panel, std::size_t b) {
    const std::uint8_t* group = panel + b / Layout::kGroup * Layout::kGroupBytes;
    const std::size_t i = b % Layout::kGroup;
    if constexpr (Layout::kForm == ScaleForm::kFloat) {
      scale_ = L::load(reinterpret_cast<const float*>(group));
    } else {
      scale_ = half_at(group);
    }
    if constexpr (Layout::kForm == ScaleForm::kHalfAndMin) minimum_ = half_at(group + 32);
    if constexpr (Layout::kForm == ScaleForm::kSuperAndMin) {
      scale_ = scale_ * L::from_bytes(group + 64 + 16 * i);
      minimum_ = L::zero() - half_at(group + 32) * L::from_bytes(group + 64 + 128 + 16 * i);
    }
    if constexpr (Layout::kForm == ScaleForm::kSuper)
      scale_ = scale_ * L::from_bytes(reinterpret_cast<const std::int8_t*>(group + 32 + 16 * i));
    if constexpr (Layout::kForm == ScaleForm::kSuperHalvesAndMin) {
      minimum_ = L::zero() - half_at(group + 32);
      for (std::size_t n = 0; n < 32; ++n) {
        nibbles_.factors[n] = static_cast<std::int8_t>(group[64 + 32 * i + n] & 15);
        nibbles_.minimums[n] = static_cast<std::uint8_t>(group[64 + 32 * i + n] >> 4);
      }
    }
    if constexpr (Layout::kForm == ScaleForm::kSuperHalves)
      halves_ = reinterpret_cast<const std::int8_t*>(group + 32 + 32 * i);
  }

  /// [2, 16] factors of the first and the last 16 inputs, if they have their own.
  const std::int8_t* halves() const {
    if constexpr (Layout::kForm == ScaleForm::kSuperHalvesAndMin) return nibbles_.factors;
    return halves_;
  }

  /// A row's sums plus its products with the block.
  OUTRIDER_INLINE L added(L sum, L products, const BlockScale& row) const {
    sum = L::fma(scale_ * L::broadcast(row.scale), products, sum);
    if constexpr (Layout::kForm == ScaleForm::kHalfAndMin ||
                  Layout::kForm == ScaleForm::kSuperAndMin)
      sum = L::fma(minimum_, L::broadcast(row.scaled_sum), sum);
    if constexpr (Layout::kForm == ScaleForm::kSuperHalvesAndMin) {
      // Sums of the quants of the first and the last 16 inputs.
      const float first = row.scale * static_cast<float>(row.minus_32_first / -32);
      const float last = row.scale * static_cast<float>(row.minus_32_last / -32);
      const L of_first = L::from_bytes(nibbles_.minimums) * L::broadcast(first);
      sum =
          L::fma(minimum_,
                 L::fma(L::from_bytes(nibbles_.minimums + 16), L::broadcast(last), of_first), sum);
    }
    return sum;
  }

 private:
  static L half_at(const std::uint8_t* p) { return L::load(reinterpret_cast<const Half*>(p)); }

  struct Nibbles {  // [2, 16]
    std::int8_t factors[32];
    std::uint8_t minimums[32];
  };
  struct None {};

  L scale_;
  L minimum_;
  const std::int8_t* halves_ = nullptr;
  [[no_unique_address]] std::conditional_t<Layout::kForm == ScaleForm::kSuperHalvesAndMin, Nibbles,
                                           None>
      nibbles_;
};

}  // namespace outrider::engine::cpu

#pragma once

#include <limits>
#include <type_traits>

#include "runtime/engine/cpu/kernels.h"

namespace outrider::engine::cpu {

/// The number of products that one chain adds up. The reference adds short chains, whose rounding
/// errors stay small; a single chain over all inputs suffices for the accuracy of two-byte weights.
template <typename T>
constexpr int kChain = std::is_same_v<T, float> ? 32 : std::numeric_limits<int>::max();

/// The prefetch distance: what memory delivers during a few hundred products.
template <typename T>
constexpr std::size_t kWeightsAhead = 2048 / sizeof(T);

/// P panels times R rows with every sum in a register; weights are stored as T and widened. Each
/// output is a sum of chains of fused multiply-adds, k ascending, added up in order, whatever P and
/// R are: a row's bits do not depend on the other rows of the pass.
template <class L, typename T, int P, int R>
void product_float_tile(const Product& a, int panel, int row) {
  const std::size_t panel_size = static_cast<std::size_t>(a.inputs) * 16;
  const T* weights =
      reinterpret_cast<const T*>(a.panels) + static_cast<std::size_t>(panel) * panel_size;
  const std::size_t x_stride = static_cast<std::size_t>(a.inputs);
  const float* x = a.x + static_cast<std::size_t>(row) * x_stride;
  L sums[P][R];
  for (auto& of_panel : sums)
    for (L& sum : of_panel) sum = L::zero();
  for (int first = 0; first < a.inputs;) {
    const int last = a.inputs - first > kChain<T> ? first + kChain<T> : a.inputs;
    L chains[P][R];
    for (auto& of_panel : chains)
      for (L& chain : of_panel) chain = L::zero();
    for (int k = first; k < last; ++k) {
      L input[R];
      for (int r = 0; r < R; ++r)
        input[r] =
            L::broadcast(x[static_cast<std::size_t>(r) * x_stride + static_cast<std::size_t>(k)]);
      for (int p = 0; p < P; ++p) {
        const T* sixteen =
            weights + static_cast<std::size_t>(p) * panel_size + static_cast<std::size_t>(k) * 16;
        __builtin_prefetch(sixteen + kWeightsAhead<T>);
        const L w = L::load(sixteen);
        for (int r = 0; r < R; ++r) chains[p][r] = L::fma(w, input[r], chains[p][r]);
      }
    }
    for (int p = 0; p < P; ++p)
      for (int r = 0; r < R; ++r) sums[p][r] = sums[p][r] + chains[p][r];
    first = last;
  }
  for (int p = 0; p < P; ++p) {
    for (int r = 0; r < R; ++r) {
      float* out = a.out + static_cast<std::size_t>(row + r) * a.out_stride +
                   static_cast<std::size_t>(panel + p) * 16;
      (a.accumulate ? L::load(out) + sums[p][r] : sums[p][r]).store(out);
    }
  }
}

template <class L, typename T, int P>
void product_float_rows(const Product& a, int panel) {
  int row = 0;
  if constexpr (P == 1) {
    for (; row + 6 <= a.rows; row += 6) product_float_tile<L, T, 1, 6>(a, panel, row);
    for (; row + 3 <= a.rows; row += 3) product_float_tile<L, T, 1, 3>(a, panel, row);
  }
  for (; row < a.rows; ++row) product_float_tile<L, T, P, 1>(a, panel, row);
}

template <class L, typename T>
void product_float(const Product& a) {
  int panel = a.first_panel;
  // With few rows, memory is the limit: four panels keep enough loads and sums in flight.
  if (a.rows < 3) {
    for (; panel + 4 <= a.last_panel; panel += 4) product_float_rows<L, T, 4>(a, panel);
  }
  for (; panel < a.last_panel; ++panel) product_float_rows<L, T, 1>(a, panel);
}

}  // namespace outrider::engine::cpu

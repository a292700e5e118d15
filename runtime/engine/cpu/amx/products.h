#pragma once

#include <array>

#include "runtime/engine/cpu/kernels.h"

namespace outrider::engine::cpu::amx {

/// The fewest rows for which tiles are faster than plain AVX-512 (runtime/engine/README.md).
constexpr int kFewestRows = 12;

/// Indexed by Packing; null for float packings, for which tiles of integers are of no use.
using Products = std::array<void (*)(const Product&), kNumPackings>;

extern const Products kProducts;

/// A copy of `others` that uses these products.
inline Kernels with_products(const char* name, const Products& products, Kernels others) {
  others.name = name;
  for (std::size_t p = 0; p < products.size(); ++p)
    if (products[p] != nullptr) others.products[p] = products[p];
  return others;
}

}  // namespace outrider::engine::cpu::amx

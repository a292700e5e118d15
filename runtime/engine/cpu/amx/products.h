#pragma once

#include <array>

#include "runtime/engine/cpu/kernels.h"

namespace outrider::engine::cpu::amx {

/// By Packing; null for those of floats, which tiles of integers have nothing to give.
using Products = std::array<void (*)(const Product&), kNumPackings>;

extern const Products kProducts;

/// `others` with these products in place of theirs.
inline Kernels with_products(const char* name, const Products& products, Kernels others) {
  others.name = name;
  for (std::size_t p = 0; p < products.size(); ++p)
    if (products[p] != nullptr) others.products[p] = products[p];
  return others;
}

}  // namespace outrider::engine::cpu::amx

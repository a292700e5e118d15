#pragma once

#include "runtime/engine/cpu/amx/products.h"

namespace outrider::engine::cpu::plain {

/// The products of amx/product_tiles.h on plain tiles: with scalar arithmetic between them, which runs
/// everywhere, and with that of AVX-512, which amx has.
extern const amx::Products kScalarTileProducts;
extern const amx::Products kAvx512TileProducts;

}  // namespace outrider::engine::cpu::plain

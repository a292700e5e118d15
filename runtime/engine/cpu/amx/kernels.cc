#include "runtime/engine/cpu/amx/product_tiles.h"
#include "runtime/engine/cpu/amx/products.h"
#include "runtime/engine/cpu/amx/tiles.h"
#include "runtime/engine/cpu/avx512/avx512_lanes.h"
#include "runtime/engine/cpu/avx512/avx512_quants.h"

namespace outrider::engine::cpu::amx {

// A compile-time constant: no code of this file may run where the instructions are missing.
constinit const Products kProducts =
    tile_products<avx512::Lanes, avx512::Quants, Tiles, avx512::kKernels>();

}  // namespace outrider::engine::cpu::amx

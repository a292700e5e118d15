#include "runtime/engine/cpu/amx/product_tiles.h"
#include "runtime/engine/cpu/avx512/avx512_lanes.h"
#include "runtime/engine/cpu/avx512/avx512_quants.h"
#include "tests/engine/plain_tile_products.h"
#include "tests/engine/plain_tiles.h"

namespace outrider::engine::cpu::plain {

// Known when this is compiled: nothing of this file may run where the instructions are missing.
constinit const amx::Products kAvx512TileProducts =
    amx::tile_products<avx512::Lanes, avx512::Quants, PlainTiles, avx512::kKernels>();

}  // namespace outrider::engine::cpu::plain

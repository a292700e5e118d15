#include "runtime/engine/cpu/amx/product_tiles.h"
#include "runtime/engine/cpu/scalar/scalar_lanes.h"
#include "runtime/engine/cpu/scalar/scalar_quants.h"
#include "tests/engine/plain_tile_products.h"
#include "tests/engine/plain_tiles.h"

namespace outrider::engine::cpu::plain {

const amx::Products kScalarTileProducts =
    amx::tile_products<scalar::Lanes, scalar::Quants, PlainTiles, scalar::kKernels>();

}  // namespace outrider::engine::cpu::plain

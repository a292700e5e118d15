#pragma once

#include <cstdint>

namespace outrider::engine::cpu::amx {

/// The operand of ldtilecfg (Intel SDM, volume 1, 18.3): the number of rows, and of bytes per row,
/// of each of the eight tiles.
struct alignas(64) TileConfig {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t row_bytes[16] = {};
  std::uint8_t rows[16] = {};
};
static_assert(sizeof(TileConfig) == 64);

/// Four of the eight tiles hold products, two activations and two weights, so that one is filled
/// while another is in use.
constexpr int kProductTiles = 4;
constexpr int kActivations = 4;
constexpr int kWeights = 6;

/// Tiles for products of `rows` rows (at most 16) with blocks of `inputs` inputs (at most 64):
/// signed activations [rows, inputs], unsigned weights [inputs / 4, 16, 4], products [rows, 16] as
/// 32-bit integers.
constexpr TileConfig tile_config(int rows, int inputs) {
  TileConfig config;
  for (int tile = 0; tile < 8; ++tile) {
    const bool weights = tile >= kWeights;
    const bool activations = !weights && tile >= kActivations;
    config.rows[tile] = static_cast<std::uint8_t>(weights ? inputs / 4 : rows);
    config.row_bytes[tile] = static_cast<std::uint16_t>(activations ? inputs : 64);
  }
  return config;
}

}  // namespace outrider::engine::cpu::amx

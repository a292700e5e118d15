#include "tests/engine/plain_tiles.h"

#include <cstring>
#include <stdexcept>

namespace outrider::engine::cpu::plain {
namespace {

void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

}  // namespace

PlainTiles::PlainTiles(const amx::TileConfig& config) {
  require(config.palette == 1 && config.start_row == 0, "ldtilecfg: palette or first row");
  for (const std::uint8_t byte : config.reserved) require(byte == 0, "ldtilecfg: reserved byte");
  for (int tile = 0; tile < 16; ++tile) {
    const int rows = config.rows[tile];
    const int row_bytes = config.row_bytes[tile];
    require(rows <= 16 && row_bytes <= 64, "ldtilecfg: a tile is too big");
    require((rows == 0) == (row_bytes == 0), "ldtilecfg: rows without bytes, or the reverse");
    require(tile < 8 || rows == 0, "ldtilecfg: there are eight tiles");
    if (tile >= 8) continue;
    rows_[tile] = rows;
    row_bytes_[tile] = row_bytes;
  }
}

void PlainTiles::tile_zero(int tile) { std::memset(bytes_[tile], 0, sizeof bytes_[tile]); }

void PlainTiles::tile_load(int tile, const void* from, std::ptrdiff_t stride) {
  tile_zero(tile);
  for (int m = 0; m < rows_[tile]; ++m)
    std::memcpy(bytes_[tile][m], static_cast<const std::uint8_t*>(from) + m * stride,
                static_cast<std::size_t>(row_bytes_[tile]));
}

void PlainTiles::tile_store(int tile, void* to, std::ptrdiff_t stride) {
  for (int m = 0; m < rows_[tile]; ++m)
    std::memcpy(static_cast<std::uint8_t*>(to) + m * stride, bytes_[tile][m],
                static_cast<std::size_t>(row_bytes_[tile]));
}

void PlainTiles::tile_dot(int sums, int a, int b) {
  require(sums != a && sums != b && a != b, "tdpbsud: a tile twice");
  require(
      rows_[sums] == rows_[a] && row_bytes_[sums] == row_bytes_[b] && row_bytes_[a] == 4 * rows_[b],
      "tdpbsud: the shapes do not fit");
  for (int m = 0; m < rows_[a]; ++m) {
    for (int n = 0; n < row_bytes_[b] / 4; ++n) {
      std::int32_t sum;
      std::memcpy(&sum, bytes_[sums][m] + 4 * n, 4);
      for (int i = 0; i < row_bytes_[a]; ++i)
        sum += static_cast<std::int8_t>(bytes_[a][m][i]) * bytes_[b][i / 4][4 * n + i % 4];
      std::memcpy(bytes_[sums][m] + 4 * n, &sum, 4);
    }
  }
}

}  // namespace outrider::engine::cpu::plain

#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/engine/kv_type.h"
#include "runtime/engine/softmax.h"
#include "runtime/model/config.h"

namespace outrider::engine::cuda {

// What kernels are called with. Pointers are the device's; the same structs are read by both compilers.

/// Positions of one split of attention: the sums over a row's keys are made of those of its splits.
inline constexpr int kSplit = 256;

struct BlockScales {
  float scale;
  float scaled_sum;  // scale * sum of the quants
};

/// Sums of the first and the last 16 quants of a block.
struct BlockSums {
  std::int32_t first;
  std::int32_t last;
};

/// Rows of numbers, quantised in blocks of 32 as the processor does (cpu::BlockScale). Two blocks of a row lie
/// together, in the order in which a lane of a tensor-core product reads them: byte 16 t + 8 (b mod 2) + 4 h + i is
/// input 16 h + 4 t + i of block b.
struct QuantisedRows {
  std::int8_t* quants;  // [pairs of blocks, stride, 64]
  BlockScales* scales;  // [blocks, stride]
  BlockSums* sums;      // [blocks, stride]
  int stride;           // rows, padded to whole tiles
};

/// Rows of numbers as kernels hand them to a product: floats, their quantised form, or both.
struct Operand {
  float* floats;            // [rows, width]; null: not wanted
  QuantisedRows quantised;  // quants are null: not wanted
};

/// A matrix of packed weights.
struct ProductMatrix {
  const std::uint8_t* panels;  // as cpu::Packing lays them out
  int num_panels;
  float* out;         // [rows, out_stride]
  const float* bias;  // [16 num_panels] or null
};

/// out[r, 16 p + o] = sum over k of w[p, k, o] x[r, k], one chain for each output, k ascending. Then, if `accumulate`,
/// what was there is added, and then the bias. Matrices of one packing may be multiplied together.
struct ProductArgs {
  static constexpr int kMost = 3;
  ProductMatrix matrices[kMost];
  int count;
  int inputs;
  int rows;
  Operand x;
  int out_stride;
  bool accumulate;
};

/// silu(gate) * up of two products of one packing, quantised.
struct GatedArgs {
  const std::uint8_t* gate;
  const std::uint8_t* up;
  int num_panels;  // of each; even
  int inputs;
  int rows;
  Operand x;
  const float* up_bias;  // [16 num_panels] or null
  Operand out;
};

/// A norm of whole rows, and where the results go.
struct NormArgs {
  const float* x;          // [.., width]
  const int* row_numbers;  // [rows] the row of x that is normalised; null: row r
  const float* weight;     // [width]; null: no norm, numbers are taken as they are
  const float* bias;       // [width] of a layer norm; null: root mean square
  float epsilon;
  int rows;
  int width;
  Operand out;
};

/// out = act(gate) * up for the gated one, act(up) for the others.
struct ActivationArgs {
  model::Activation kind;
  const float* gate;  // [rows, width]; null where there is no gate
  const float* up;    // [rows, width]
  int rows;
  int width;
  Operand out;
};

/// One row of a pass: its place in its sequence's cache, and its path.
struct PassRow {
  std::uint8_t* cache;
  std::size_t head_bytes;  // of one head's keys, or values, in this cache
  int slot;
  int position;
  int contiguous;   // the slots [0, contiguous) hold the first positions of the path
  int first_extra;  // of the slots of the positions after them, in `extra`
};

/// Of attention, and of keys and values.
struct HeadShape {
  int heads;
  int kv_heads;
  int head_width;
  KvType kv;

  friend bool operator==(const HeadShape&, const HeadShape&) = default;
};

/// Norms, rotates and scales the heads of queries and keys; writes keys and values to the caches.
struct HeadsArgs {
  float* qkv;           // [rows, heads + 2 kv_heads, head_width]; queries are changed in place
  const float* angles;  // [rows, rotary_width]: cosines, then sines
  const float* q_norm;  // [head_width] or null
  const float* k_norm;
  float epsilon;
  float query_scale;
  int rotary_width;
  int rows;
  int layer;  // counts from 0
  const PassRow* pass_rows;
  HeadShape shape;
  /// Rows with a key or value of this magnitude or more get a 1 in `too_large`, [rows], which may be the host's memory.
  float bound;
  unsigned* too_large;
};

/// Rows of a pass that follow each other in a text whose positions are its slots: they read the same keys and values.
struct RowTile {
  int first_row;
  int rows;
};
/// Queries, one of each head of each row, that share what a block reads.
inline constexpr int kMostTiledQueries = 32;
/// Of heads, for which these have room in shared memory.
inline constexpr int kMostTiledWidth = 128;

/// Attention of all rows in one layer.
struct AttentionArgs {
  const float* qkv;  // queries are rotated and scaled
  const PassRow* pass_rows;
  const int* extra;     // slots
  const float* slopes;  // [heads] of ALiBi, or null
  int rows;
  int layer;             // counts from 0
  int window;            // positions that a row sees; 0: all
  int max_splits;        // of any row
  const RowTile* tiles;  // [num_tiles] of all rows; only without a window
  int num_tiles;         // 0: each row by itself
  HeadShape shape;
  /// With more than one split: scores [rows, heads, 256 max_splits], the largest of each split and its position [rows,
  /// heads, max_splits, 2], sums of values [rows, heads, max_splits, head_width] and their totals [rows, heads, max_splits].
  float* scores;
  float* maxima;
  float* partial;
  float* totals;
  unsigned* finished;  // [rows or tiles, kv_heads] splits that have finished; zero before and after
  Operand out;  // [rows, heads * head_width]; quantised only where head_width is a multiple of 32
  Softmax* softmax;  // [rows, heads] or null
  int* best;  // [rows, best_stride] the position with the most attention of each head, or null
  int best_stride;
};

/// Attention weights of single positions of one committed row.
struct WeighArgs {
  const float* queries;    // [count_heads, head_width]
  const Softmax* softmax;  // [count_heads]
  const int* layer_heads;  // [count_heads, 2] layer, from 0, and head
  const int* windows;      // [count_heads]
  const float* slopes;     // [heads] or null
  const int* positions;    // [count] ascending
  int count_heads;
  int count;
  int position;  // the row's own
  const std::uint8_t* cache;
  std::size_t head_bytes;
  HeadShape shape;
  float* out;  // [count_heads, count]
};

/// Slots that one launch moves.
inline constexpr int kMovedAtOnce = 256;

/// Copies slots of all layers and heads: of one cache to lower slots, or of another cache to the same slots.
struct MoveArgs {
  std::uint8_t* to;
  std::size_t to_head_bytes;
  const std::uint8_t* from;
  std::size_t from_head_bytes;
  int count;
  int first;    // the slot of the first copy
  bool listed;  // the sources are `slots`, ascending; else the slots from `first` on
  int slots[kMovedAtOnce];
  int layers;
  HeadShape shape;
};

/// The queries of some heads of a layer, for observers: out[r, i] = the query of row r by head heads[i].
struct QueryArgs {
  const float* qkv;
  const int* heads;  // [count_heads]
  int count_heads;
  int rows;
  HeadShape shape;
  float* out;  // [rows, out_heads, head_width], from the first of these heads on
  int out_heads;
};

}  // namespace outrider::engine::cuda

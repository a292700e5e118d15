#pragma once

#include <cstddef>

#include "runtime/base/half.h"
#include "runtime/engine/softmax.h"

namespace outrider::engine::cpu {

/// The slots of the keys that a row attends to, in order of position: the slots [first, contiguous),
/// then `extra`. Keys are counted from the first of them.
struct KeyPath {
  int first;         // above 0 where the path is longer than the model's window
  int contiguous;    // slots [0, contiguous) are the first positions of the path
  const int* extra;  // [num_extra] slots of the positions after them, ascending
  int num_extra;

  int length() const { return contiguous - first + num_extra; }
  bool operator==(const KeyPath&) const = default;
};

/// One query head of one row.
struct AttentionQuery {
  const float* query;  // [head_width] after RoPE and scaling by 1 / sqrt(head_width)
  KeyPath path;
  float slope;  // ALiBi: adds slope * (key's position - the row's); 0: none
  float* out;   // [head_width]
  // Taps, null unless requested:
  Softmax* softmax_out;  // maximum and sum of the softmax
  int* best_out;         // the key with the most attention, ties: the lowest
};

/// Query heads, of any rows of one sequence, that read the same keys and values. They share the
/// loads of these; the sums of each query depend on its own path only, and visit its keys in order.
template <typename Kv>
struct Attention {
  /// Twelve queries times two columns of sums fit the registers of AVX-512.
  static constexpr int kMostQueries = 12;

  const AttentionQuery* queries;  // [count]
  int count;                      // at most kMostQueries
  int head_width;                 // a multiple of 16
  const Kv* keys;                 // as in KvLayout
  const Kv* values;               // likewise
  const Kv* next_keys;         // the keys that this thread scores next, whose first are prefetched
  float* scratch;              // [scratch_floats(scratch_stride, head_width)]
  std::size_t scratch_stride;  // as by stride_for

  /// The numbers of a query's scores: one for each slot and two sixteens for padding; an odd number
  /// of cache lines, so that the scores of a slot for several queries lie in different sets.
  static std::size_t stride_for(int highest_slot) {
    return static_cast<std::size_t>((highest_slot / 16 + 2) | 1) * 16;
  }
  static std::size_t scratch_floats(std::size_t stride, int head_width) {
    return kMostQueries * (stride + static_cast<std::size_t>(head_width));
  }
  /// [scratch_stride] by slot; the scores of `extra` are moved to those after the contiguous ones.
  float* scores(int query) const {
    return scratch + static_cast<std::size_t>(query) * scratch_stride;
  }
  /// [head_width, queries of a tile]
  float* packed_queries() const { return scores(kMostQueries); }
};

}  // namespace outrider::engine::cpu

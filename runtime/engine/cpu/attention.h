#pragma once

#include <cstddef>

#include "runtime/base/half.h"
#include "runtime/engine/softmax.h"

namespace outrider::engine::cpu {

/// Attention sums in splits of so many positions of the text, so that a device of many threads can sum them
/// side by side and give these bits. Split k has those keys of a path whose positions are in
/// [256 k, 256 (k + 1)): with a window the first split may begin in the middle. All sums are in floats.
///
/// - The largest score is that of all keys of the path; it is subtracted from every score.
/// - A split's total of exponentials: its key i, counted from its first one on the path, adds into lane
///   i mod 16, keys ascending; then the 16 lanes are added in one tree (`sum` of lanes).
/// - A split's values: for each number of the output one chain of fused multiply-adds over its keys,
///   ascending, from 0.
/// - The exponential of a sink, a score of no key, is added to the total after the last split's; the largest score is
///   that of the sink too.
/// - Totals, and values, of the splits that have keys are added in ascending order, ((s0 + s1) + s2) …, the
///   first being taken as it is. At last each number is divided by the total.
///
/// So where all keys of a path are in one split, its sums are those of a single chain.
inline constexpr int kKeysOfSplit = 256;

/// The slots of the keys that a row attends to, in order of position: the slots [first, contiguous),
/// then `extra`. Keys are counted from the first of them.
struct KeyPath {
  int first;         // above 0 where the path is longer than the model's window
  int contiguous;    // slots [0, contiguous) are the first positions of the path
  const int* extra;  // [num_extra] slots of the positions after them, ascending
  int num_extra;
  /// Positions between `contiguous` and `extra` that are outside the window; if there are any, `first` is
  /// `contiguous`.
  int left_out = 0;

  int length() const { return contiguous - first + num_extra; }
  /// Keys are numbered from `first` on: the slots of the contiguous ones, then those after them.
  int end() const { return first + length(); }
  /// The position in the text of key `key`.
  int position(int key) const { return key + left_out; }
  bool operator==(const KeyPath&) const = default;
};

/// One query head of one row.
struct AttentionQuery {
  const float* query;  // [head_width] after RoPE and scaling
  KeyPath path;
  float slope;                  // ALiBi: adds slope * (key's position - the row's); 0: none
  const float* sink = nullptr;  // one more score, of no key; null: none
  float* out;                   // [head_width]
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
  float cap = 0;               // soft bound of the scores; 0: none
  float* scratch;              // [scratch_floats(scratch_stride, head_width)]
  std::size_t scratch_stride;  // as by stride_for

  /// The numbers of a query's scores: one for each slot and two sixteens for padding; an odd number
  /// of cache lines, so that the scores of a slot for several queries lie in different sets.
  static std::size_t stride_for(int highest_slot) {
    return static_cast<std::size_t>((highest_slot / 16 + 2) | 1) * 16;
  }
  static std::size_t scratch_floats(std::size_t stride, int head_width) {
    return kMostQueries * (stride + 2 * static_cast<std::size_t>(head_width));
  }
  /// [scratch_stride] by slot; the scores of `extra` are moved to those after the contiguous ones.
  float* scores(int query) const {
    return scratch + static_cast<std::size_t>(query) * scratch_stride;
  }
  /// [head_width, queries of a tile]
  float* packed_queries() const { return scores(kMostQueries); }
  /// [head_width]: a query's sums of the split that is not yet complete.
  float* open_sums(int query) const {
    return packed_queries() + static_cast<std::ptrdiff_t>(kMostQueries + query) * head_width;
  }
};

}  // namespace outrider::engine::cpu

#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "train/modules/text_attention.h"

namespace outrider::train {

/// Some queries of each of some texts, computed as one product: padded to the same number of queries, and of keys, which
/// are those up to the last query's position. What stands in the padding is never counted: keys after a query's own
/// position are hidden, and padded queries get no gradient and are left out of results.
struct AttentionPieces {
  std::int64_t pieces = 0, queries = 0, keys = 0;  // the last two of each piece, padding included
  std::int64_t seen_by_all = 0;                    // the first keys, that no query is before
  at::Tensor query_rows;                           // [pieces * queries] int64
  at::Tensor key_rows;                             // [pieces * keys] int64
  at::Tensor positions;                            // [pieces, queries] int64
  at::Tensor is_padding;                           // [pieces * queries] bool

  /// @param x  [rows, kv_heads, width]; @return [kv_heads * pieces, keys, width]
  at::Tensor keys_of(const at::Tensor& x) const;
  /// Adds what keys get to the rows that they are.
  /// @param x     [kv_heads * pieces, keys, width]
  /// @param rows  [rows, kv_heads, width]
  void add_keys(const at::Tensor& x, at::Tensor& rows) const;
  /// Makes the scores of keys after a query's position minus infinity.
  /// @param scores  [kv_heads, pieces, queries, ..., keys], five dimensions
  void hide_later(const at::Tensor& scores) const;
  /// Rows of queries, those of the padding 0. @param x  [all queries, ...]
  at::Tensor gradients_of(const at::Tensor& x) const;
};

/// What the pieces' sizes are multiples of, and their limits.
struct PieceSizes {
  std::int64_t most_queries;  // of a piece
  std::int64_t query_multiple, key_multiple;
  double most_padded;  // the padded product of pieces is at most so many times their own products
  std::int64_t most_scores;  // of a padded product, for one head; a piece may have more
};

/// All queries of a layout, each in one piece.
struct PlannedPieces {
  std::vector<AttentionPieces> all;
  at::Tensor
      place;  // [queries] int64: where each query is, in the rows of all pieces one after the other
};

/// Rows by the key head that they belong to: [kv_heads, rows, numbers of a key head].
at::Tensor by_key_head(const at::Tensor& rows, std::int64_t kv_heads);
/// The other way round: [rows, numbers].
at::Tensor by_row(const at::Tensor& x, std::int64_t kv_heads, std::int64_t rows);

/// @param rows    of keys
/// @param device  of the tensors
PlannedPieces plan_pieces(const AttentionLayout& layout, std::int64_t rows, const PieceSizes& sizes,
                          at::Device device);

}  // namespace outrider::train

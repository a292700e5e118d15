#pragma once

#include <ATen/core/Tensor.h>

#include <span>

#include "runtime/base/token.h"

namespace outrider::train {

/// Tokens to forward together, with their attention mask.
struct ReferenceRows {
  at::Tensor tokens;     // [rows] int64
  at::Tensor positions;  // [rows] int64
  at::Tensor visible;    // [rows, rows] bool: row i attends to row j
};

/// A text: row i has position i and attends to rows 0 to i.
ReferenceRows text_rows(std::span<const Token> tokens);

/// A tree (or several): row i is a child of row parents[i], or a root if that is -1. It attends to the
/// rows on its path and itself; its position is the number of rows before it on the path.
/// @param parents  [rows], each smaller than its own index
ReferenceRows tree_rows(std::span<const Token> tokens, std::span<const int> parents);

}  // namespace outrider::train

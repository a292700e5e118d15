#pragma once

#include "runtime/engine/ahead_reader.h"
#include "runtime/engine/cuda/kernel_args.h"
#include "runtime/engine/cuda/row_args.h"

namespace outrider::engine::cuda {

/// What was found in the rows of a level, which rank the tokens that may follow them.
struct FoundLevel {
  const ReadRow* asked;   // [rows]
  const RowFound* found;  // [rows]
  const RankedToken*
      ranked;  // [rows, most_ranked]; null: the token with the largest logit is all that was asked for
  int most_ranked;
  const ExpBlock*
      blocks;  // [rows, exp_blocks] of the row's exponentials; null: they were not summed
  int exp_blocks;
};

/// Chooses the rows of a level, and writes where their passes begin.
struct AheadArgs {
  FoundLevel before;
  int rows;                 // of the level before
  int children;             // of each at most: the first of its ranking
  const int* own_children;  // of these
  bool has_noise;           // as of Ahead
  const double* chances;    // [rows] of their paths

  int width;            // rows that are chosen
  RowAhead* chosen;     // [width]
  double* chances_out;  // [width]

  // The slots of paths, where they differ; null: each row follows the one before.
  const int* path;  // [rows, path_stride]
  int path_stride;
  int path_length;
  int* path_out;  // [width, path_out_stride]
  int path_out_stride;
  const PassRow* out;  // [width] with their slots

  const float* table;  // [tokens, state_width] first states
  int tokens;
  int state_width;
  const float*
      own;  // [rows, state_width] states that are put before these; null: none are, or they are there
  float* state;  // [width, state_stride]
  int state_stride;
  int state_at;  // of the token's
};

}  // namespace outrider::engine::cuda

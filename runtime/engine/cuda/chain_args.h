#pragma once

#include "runtime/engine/cuda/row_args.h"

namespace outrider::engine::cuda {

/// Where the token of a choice is found, which is a row of the head.
struct ChosenAt {
  const RankedToken* ranked;  // null: the token with the largest logit
  const RowFound* found;
};

/// state = table[token of the choice]
struct EmbedArgs {
  ChosenAt chosen;
  const float* table;  // [rows, width]
  int rows;
  int width;
  float* state;  // [width]
};

}  // namespace outrider::engine::cuda

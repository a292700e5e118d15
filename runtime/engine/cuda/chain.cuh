#pragma once

#include "runtime/engine/cuda/chain_args.h"
#include "runtime/engine/cuda/gpu.h"

namespace outrider::engine::cuda::OUTRIDER_GPU {

constexpr int kEmbedThreads = 256;

/// The first state of the token that was chosen. A row that is refused has chosen none, and its answer is not read: then any
/// token's will do.
__global__ void __launch_bounds__(kEmbedThreads) embed_choice(EmbedArgs a) {
  int token = a.chosen.ranked != nullptr ? a.chosen.ranked->token : a.chosen.found->likeliest;
  if (token < 0 || token >= a.rows) token = 0;
  const int i = static_cast<int>(blockIdx.x) * kEmbedThreads + static_cast<int>(threadIdx.x);
  if (i < a.width) a.state[i] = a.table[static_cast<std::size_t>(token) * a.width + i];
}

}  // namespace outrider::engine::cuda::OUTRIDER_GPU

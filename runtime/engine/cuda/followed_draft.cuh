#pragma once

#include "runtime/engine/cuda/follow_args.h"
#include "runtime/engine/cuda/heads.cuh"
#include "runtime/engine/cuda/row_logits.cuh"

namespace outrider::engine::cuda::OUTRIDER_GPU {

constexpr int kNoChild = -1;

/// Follows the choices down drafts. Grid: drafts; a thread has a row, which is accepted where its parent is and its token is
/// the choice after it. Siblings have different tokens, so that a row has one such child at most: what each row goes on with
/// is known at once, and the path is walked in shared memory. A row that the processor refuses ends it.
__global__ void __launch_bounds__(FollowedPath::kMost) follow_drafts(FollowArgs a) {
  __shared__ int next[FollowedPath::kMost];
  const int own = thread_of_block();
  const int* begin = a.drafts->first_rows + blockIdx.x;
  const DraftedRow* rows = a.drafts->rows + begin[0];
  next[own] = kNoChild;
  __syncthreads();
  if (own > 0 && own < begin[1] - begin[0]) {
    const DraftedRow& row = rows[own];
    const RowFound& before = a.found[row.choice];
    if (!is_refused(before) && before.token == row.token) next[row.parent] = own;
  }
  __syncthreads();
  if (own > 0) return;
  FollowedPath& path = a.paths[blockIdx.x];
  int length = 0;
  for (int row = 0; row != kNoChild; row = next[row]) path.rows[length++] = row;
  path.length = length;
}

/// Grid: layers, KV heads, keys and values of each draft.
template <class Kv>
__global__ void move_paths(MovePathArgs a) {
  const unsigned draft = blockIdx.z / 2;
  const DraftPlace& place = a.drafts->places[draft];
  const FollowedPath& path = a.paths[draft];
  const bool is_value = blockIdx.z % 2 == 1;
  std::uint8_t* head =
      head_at<Kv>(place.cache, place.head_bytes, a.shape, static_cast<int>(blockIdx.x),
                  static_cast<int>(blockIdx.y), is_value);
  copy_slots<Kv>(head, head, is_value, a.shape.head_width, place.first, path.length,
                 [&](int i) { return place.first + path.rows[i]; });
}

}  // namespace outrider::engine::cuda::OUTRIDER_GPU

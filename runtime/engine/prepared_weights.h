#pragma once

#include <functional>
#include <vector>

#include "runtime/engine/aligned_buffer.h"
#include "runtime/engine/numerics.h"
#include "runtime/engine/packed_matrix.h"
#include "runtime/engine/thread_team.h"
#include "runtime/model/model.h"

namespace outrider::engine {

/// A decoder layer's weights as the kernels read them.
struct PreparedLayer {
  std::vector<float> attn_norm;  // [width]
  PackedMatrix q;
  PackedMatrix k;
  PackedMatrix v;
  PackedMatrix o;
  std::vector<float> q_bias;    // [heads * head_width]; empty: none, as all of these
  std::vector<float> k_bias;    // [kv_heads * head_width]
  std::vector<float> v_bias;    // likewise
  std::vector<float> q_norm;    // [head_width]
  std::vector<float> k_norm;    // [head_width]
  std::vector<float> ffn_norm;  // [width]
  PackedMatrix gate;
  PackedMatrix up;
  PackedMatrix down;
};

/// All weights but the embedding, whose rows are read from the file as they are needed.
struct PreparedWeights {
  std::vector<PreparedLayer> layers;
  std::vector<float> final_norm;  // [width]
  PackedMatrix head;
  AlignedBuffer<std::uint8_t> storage;  // of all matrices, in the order of a pass

  /// Repacks `model`, on all threads of the team.
  PreparedWeights(const model::Model& model, const NumericsPlan& plan, ThreadTeam& team,
                  const std::function<void(std::int64_t, std::int64_t)>& on_packed);
};

}  // namespace outrider::engine

#pragma once

#include <functional>
#include <vector>

#include "runtime/base/aligned_buffer.h"
#include "runtime/engine/cpu/packed_matrix.h"
#include "runtime/engine/numerics.h"
#include "runtime/engine/thread_team.h"
#include "runtime/model/model.h"

namespace outrider::engine::cpu {

/// A norm over whole rows.
struct PreparedNorm {
  std::vector<float> weight;  // [width]; empty: the model has no such norm
  std::vector<float> bias;    // [width]; for Norm::kLayer only
};

/// A matrix product and the bias added to it.
struct Projection {
  PackedMatrix matrix;
  std::vector<float> bias;  // [outputs, and zeros to a multiple of 16]; empty: none
};

/// One of the feed-forward networks of a layer with experts.
struct PreparedExpert {
  Projection gate;
  Projection up;
  Projection down;
};

/// A decoder layer's weights in the kernels' layout.
struct PreparedLayer {
  PreparedNorm attn_norm;
  Projection q;
  Projection k;
  Projection v;
  Projection o;
  std::vector<float> q_norm;    // [head_width]; empty: none
  std::vector<float> k_norm;    // likewise
  std::vector<float> sinks;     // [heads]; empty: none
  PreparedNorm post_attn_norm;  // of what is added to the residual stream
  PreparedNorm post_ffn_norm;
  PreparedNorm ffn_norm;
  Projection gate;  // no outputs where the activation is not gated
  Projection up;
  Projection down;
  Projection router;                    // no outputs where the layer has no experts
  std::vector<PreparedExpert> experts;  // in place of gate, up and down
};

/// All weights except the embedding, whose rows are read from the file when needed.
struct PreparedWeights {
  std::vector<PreparedLayer> layers;
  PreparedNorm embedding_norm;
  Projection state_projection;  // no outputs where rows are tokens
  PreparedNorm final_norm;
  Projection head;
  AlignedBuffer<std::uint8_t> storage;  // of all matrices, in the order of a pass

  /// Repacks `model`, on all threads of the team.
  PreparedWeights(const model::Model& model, const NumericsPlan& plan, ThreadTeam& team,
                  const std::function<void(std::int64_t, std::int64_t)>& on_packed);
};

}  // namespace outrider::engine::cpu

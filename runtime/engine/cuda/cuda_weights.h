#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "runtime/engine/cpu/packing.h"
#include "runtime/engine/cuda/device.h"
#include "runtime/engine/cuda/kernel_args.h"
#include "runtime/engine/numerics.h"
#include "runtime/engine/thread_team.h"
#include "runtime/model/model.h"

namespace outrider::engine::cuda {

/// A norm over whole rows; null: the model has no such norm, or it has no bias.
struct CudaNorm {
  const float* weight = nullptr;
  const float* bias = nullptr;
};

/// A matrix product and the bias added to it. No panels: the model has no such product.
struct CudaProjection {
  cpu::Packing packing = cpu::Packing::kF32;
  const std::uint8_t* panels = nullptr;
  int inputs = 0;
  int num_panels = 0;
  const float* bias = nullptr;

  bool is_float() const { return cpu::is_float(packing); }
};

struct CudaLayer {
  CudaNorm attn_norm;
  CudaProjection q;
  CudaProjection k;
  CudaProjection v;
  CudaProjection o;
  const float* q_norm = nullptr;
  const float* k_norm = nullptr;
  CudaNorm ffn_norm;
  CudaProjection gate;
  CudaProjection up;
  CudaProjection down;
};

/// All weights except the embedding, whose rows are read from the file when needed, in a device's memory, packed as for
/// the processor.
class CudaWeights {
 public:
  /// Packs the weights on the team's threads.
  /// @param beside  bytes that must be left for texts
  /// @throws ModelTooLarge where the device has no room for both
  CudaWeights(Device& device, const model::Model& model, const NumericsPlan& plan, ThreadTeam& team,
              const std::function<void(std::int64_t, std::int64_t)>& on_packed,
              std::int64_t beside);

  std::vector<CudaLayer> layers;
  CudaNorm embedding_norm;
  CudaProjection state_projection;
  CudaNorm final_norm;
  CudaProjection head;
  /// Whether some product takes floats, or quantised rows.
  bool takes_floats = false;
  bool takes_quants = false;
  /// Bytes of packed matrices.
  std::int64_t bytes = 0;

 private:
  DeviceBuffer<std::uint8_t> matrices_;
  DeviceBuffer<float> vectors_;
};

}  // namespace outrider::engine::cuda

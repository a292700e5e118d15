#pragma once

#include <vector>

#include "runtime/engine/cuda/device.h"
#include "runtime/engine/cuda/kernel_args.h"
#include "runtime/engine/observation.h"
#include "runtime/model/config.h"

namespace outrider::engine::cuda {

/// The outputs of a pass other than logits, on the device and on their way to the host.
class TapBuffers {
 public:
  TapBuffers(Device& device, const model::ModelConfig& config) : device_(device), config_(config) {}

  /// Makes room for a pass. @return whether memory has moved
  bool begin(const TapRequest& request, int rows);

  /// Where the states after a layer go, [rows, width]; null: not requested.
  float* states(int layer) const;
  /// The heads of a layer, from 0, that are requested: how many, their numbers on the device, and where the queries go,
  /// [rows, all heads requested, head_width], from the layer's first on.
  int heads_of(int layer) const;
  const int* head_numbers(int layer) const;
  float* queries(int layer) const;
  int num_heads() const { return static_cast<int>(heads_.size()); }
  /// [rows, heads] of a layer; null: none of its heads is requested.
  Softmax* softmax(int layer) const;
  /// [rows, layers, heads]; null: not requested.
  int* best(int layer) const;

  /// Starts the copies to the host, and after they have ended hands the results to the observation.
  void copy_to_host();
  void hand_over(Observation& observed) const;

 private:
  int layer_number(int layer) const;

  Device& device_;
  const model::ModelConfig& config_;
  int rows_ = 0;
  std::vector<int> layers_;       // whose states are requested, each once
  std::vector<Head> heads_;       // ascending, each once
  std::vector<int> head_layers_;  // layers, from 0, with requested heads, ascending
  bool best_keys_ = false;
  std::vector<int> numbers_;  // of heads_, as on the device
  DeviceBuffer<int> device_numbers_;
  // One piece of memory, in this order: states, queries, softmax, best keys.
  DeviceBuffer<std::uint8_t> device_memory_;
  HostBuffer<std::uint8_t> host_memory_;
  std::size_t queries_at_ = 0;
  std::size_t softmax_at_ = 0;
  std::size_t best_at_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace outrider::engine::cuda

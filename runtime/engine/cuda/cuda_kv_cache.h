#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/engine/cuda/device.h"
#include "runtime/engine/cuda/gpu_kernels.h"
#include "runtime/engine/kv_cache.h"
#include "runtime/engine/numerics.h"
#include "runtime/model/config.h"

namespace outrider::engine::cuda {

HeadShape head_shape(const model::ModelConfig& config, KvType type);

/// Keys and values in a device's memory: per layer and KV head its keys, then its values, as in kv_numbers.cuh.
class CudaKvCache final : public KvCache {
 public:
  CudaKvCache(std::shared_ptr<Gpu> gpu, const model::ModelConfig& config, int capacity,
              KvType type);

  KvType type() const { return shape_.kv; }
  bool fits(const Gpu& gpu, const model::ModelConfig& config) const;
  bool is_of(const Gpu& gpu) const { return gpu_.get() == &gpu; }
  /// The bytes of a cache of `capacity` tokens.
  static std::int64_t bytes(const model::ModelConfig& config, int capacity, KvType type);

  std::uint8_t* data() const { return storage_.data(); }
  /// Of one head's keys, or values.
  std::size_t head_bytes() const { return head_bytes_; }

  int layers() const { return layers_; }
  const HeadShape& shape() const { return shape_; }

  std::vector<std::uint8_t> key_bytes(int layer, int slot) const override;
  std::vector<std::uint8_t> value_bytes(int layer, int slot) const override;

 private:
  void move_slots(std::span<const int> slots, int to) override;
  void copy_slots(const KvCache& from, int tokens) override;
  /// From these slots of a cache on, this one or another, to the same ones of this.
  MoveArgs move_args(const CudaKvCache& from, int first, int count) const;
  /// The bytes of a head's keys, or values, on the host.
  std::vector<std::uint8_t> head_to_host(int layer, int head, bool values) const;

  std::shared_ptr<Gpu> gpu_;
  int layers_;
  HeadShape shape_;
  std::size_t head_bytes_;
  DeviceBuffer<std::uint8_t> storage_;
};

}  // namespace outrider::engine::cuda

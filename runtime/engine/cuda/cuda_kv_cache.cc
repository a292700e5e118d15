#include "runtime/engine/cuda/cuda_kv_cache.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "runtime/engine/cpu/kv_layout.h"

namespace outrider::engine::cuda {
namespace {

int padded_slots(int capacity) { return (capacity + 31) / 32 * 32; }

std::size_t bytes_of_head(const model::ModelConfig& config, int capacity, KvType type) {
  return static_cast<std::size_t>(padded_slots(capacity)) *
         cpu::kv_row_bytes(type, config.head_width);
}

}  // namespace

HeadShape head_shape(const model::ModelConfig& config, KvType type) {
  return {config.heads, config.kv_heads, config.head_width, type};
}

std::int64_t CudaKvCache::bytes(const model::ModelConfig& config, int capacity, KvType type) {
  return std::int64_t{2} * config.layers * config.kv_heads *
         static_cast<std::int64_t>(bytes_of_head(config, capacity, type));
}

CudaKvCache::CudaKvCache(std::shared_ptr<Gpu> gpu, const model::ModelConfig& config, int capacity,
                         KvType type)
    : KvCache(capacity),
      gpu_(std::move(gpu)),
      layers_(config.layers),
      shape_(head_shape(config, type)),
      head_bytes_(bytes_of_head(config, capacity, type)),
      storage_(*gpu_->device, static_cast<std::size_t>(bytes(config, capacity, type))) {}

bool CudaKvCache::fits(const Gpu& gpu, const model::ModelConfig& config) const {
  return is_of(gpu) && layers_ == config.layers && shape_.kv_heads == config.kv_heads &&
         shape_.head_width == config.head_width;
}

std::vector<std::uint8_t> CudaKvCache::head_to_host(int layer, int head, bool values) const {
  std::vector<std::uint8_t> host(head_bytes_);
  const std::size_t offset =
      ((static_cast<std::size_t>(layer) * static_cast<std::size_t>(shape_.kv_heads) +
        static_cast<std::size_t>(head)) *
           2 +
       (values ? 1 : 0)) *
      head_bytes_;
  gpu_->device->copy_from(host.data(), storage_.data() + offset, head_bytes_);
  gpu_->device->synchronise();
  return host;
}

std::vector<std::uint8_t> CudaKvCache::key_bytes(int layer, int slot) const {
  std::vector<std::uint8_t> bytes;
  const std::size_t width = static_cast<std::size_t>(shape_.head_width);
  const std::size_t row = cpu::kv_row_bytes(type(), shape_.head_width);
  const std::size_t quants =
      shape_.kv == KvType::kQ8_0 ? width : row;  // the bytes of numbers, without scales
  const std::size_t lane = static_cast<std::size_t>(slot % 32);
  for (int head = 0; head < shape_.kv_heads; ++head) {
    const std::vector<std::uint8_t> host = head_to_host(layer, head, false);
    const std::uint8_t* block = host.data() + static_cast<std::size_t>(slot / 32) * 32 * row;
    for (std::size_t unit = 0; unit < quants / 16; ++unit) {
      const std::uint8_t* first = block + (unit * 32 + lane) * 16;
      bytes.insert(bytes.end(), first, first + 16);
    }
    for (std::size_t scale = 0; scale < (row - quants) / 2; ++scale) {
      const std::uint8_t* first = block + 32 * width + (scale * 32 + lane) * 2;
      bytes.insert(bytes.end(), first, first + 2);
    }
  }
  return bytes;
}

std::vector<std::uint8_t> CudaKvCache::value_bytes(int layer, int slot) const {
  std::vector<std::uint8_t> bytes;
  const std::size_t row = cpu::kv_row_bytes(type(), shape_.head_width);
  for (int head = 0; head < shape_.kv_heads; ++head) {
    const std::vector<std::uint8_t> host = head_to_host(layer, head, true);
    const std::uint8_t* first = host.data() + static_cast<std::size_t>(slot) * row;
    bytes.insert(bytes.end(), first, first + row);
  }
  return bytes;
}

MoveArgs CudaKvCache::move_args(const CudaKvCache& from, int first, int count) const {
  return {.to = storage_.data(),
          .to_head_bytes = head_bytes_,
          .from = from.storage_.data(),
          .from_head_bytes = from.head_bytes_,
          .count = count,
          .first = first,
          .listed = false,
          .slots = {},
          .layers = layers_,
          .shape = shape_};
}

void CudaKvCache::move_slots(std::span<const int> slots, int to) {
  while (!slots.empty()) {
    const std::size_t count = std::min<std::size_t>(slots.size(), kMovedAtOnce);
    MoveArgs args = move_args(*this, to, static_cast<int>(count));
    args.listed = true;
    std::copy_n(slots.begin(), count, args.slots);
    gpu_->kernels->move_slots(args);
    slots = slots.subspan(count);
    to += static_cast<int>(count);
  }
}

void CudaKvCache::copy_slots(const KvCache& from, int tokens) {
  const auto* other = dynamic_cast<const CudaKvCache*>(&from);
  if (other == nullptr || other->gpu_ != gpu_ || other->layers_ != layers_ ||
      other->shape_ != shape_)
    throw std::logic_error("KvCache::copy_prefix: the caches are of two kinds");
  gpu_->kernels->move_slots(move_args(*other, 0, tokens));
}

}  // namespace outrider::engine::cuda

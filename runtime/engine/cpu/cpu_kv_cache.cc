#include "runtime/engine/cpu/cpu_kv_cache.h"

#include <algorithm>
#include <stdexcept>

namespace outrider::engine::cpu {
namespace {

int padded_slots(int capacity) { return (capacity + 15) / 16 * 16; }

template <typename Kv>
void append(const Kv* numbers, std::ptrdiff_t count, std::vector<std::uint8_t>& bytes) {
  const auto* first = reinterpret_cast<const std::uint8_t*>(numbers);
  bytes.insert(bytes.end(), first, first + static_cast<std::size_t>(count) * sizeof(Kv));
}

// A cache is read faster from huge pages: a pass of one row after 4,000 tokens takes up to a sixth less. But a page of
// 2 MiB holds one head's keys of thousands of tokens, so a cache for a long context would take all of its memory with
// the first token; large ones must use none before they are filled.
constexpr std::int64_t kMostInHugePages = std::int64_t{256} << 20;

}  // namespace

std::int64_t CpuKvCache::bytes(const model::ModelConfig& config, int capacity, KvType type) {
  return std::int64_t{2} * config.layers * config.kv_heads * padded_slots(capacity) *
         static_cast<std::int64_t>(kv_row_bytes(type, config.head_width));
}

CpuKvCache::CpuKvCache(const model::ModelConfig& config, int capacity, KvType type)
    : KvCache(capacity),
      type_(type),
      layers_(config.layers),
      kv_heads_(config.kv_heads),
      head_width_(config.head_width),
      head_bytes_(static_cast<std::size_t>(padded_slots(capacity)) *
                  kv_row_bytes(type, config.head_width)),
      storage_(
          static_cast<std::size_t>(bytes(config, capacity, type)),
          bytes(config, capacity, type) <= kMostInHugePages ? Pages::kHuge : Pages::kOrdinary) {}

bool CpuKvCache::fits(const model::ModelConfig& config) const {
  return layers_ == config.layers && kv_heads_ == config.kv_heads &&
         head_width_ == config.head_width;
}

std::vector<std::uint8_t> CpuKvCache::key_bytes(int layer, int slot) const {
  std::vector<std::uint8_t> bytes;
  visit_kv(type_, [&](auto kv) {
    using Kv = decltype(kv);
    const KvLayout<Kv> layout{head_width_};
    for (int head = 0; head < kv_heads_; ++head) {
      for (int i = 0; i < layout.key_runs(); ++i) {
        const auto run = layout.key_run(slot, i);
        const Kv* first = keys<Kv>(layer, head) + run.offset;
        append(first, run.count, bytes);
      }
    }
  });
  return bytes;
}

std::vector<std::uint8_t> CpuKvCache::value_bytes(int layer, int slot) const {
  std::vector<std::uint8_t> bytes;
  visit_kv(type_, [&](auto kv) {
    using Kv = decltype(kv);
    const std::ptrdiff_t row = KvLayout<Kv>{head_width_}.row();
    for (int head = 0; head < kv_heads_; ++head)
      append(values<Kv>(layer, head) + row * slot, row, bytes);
  });
  return bytes;
}

void CpuKvCache::move_slots(std::span<const int> slots, int to) {
  visit_kv(type_, [&](auto kv) { move_all<decltype(kv)>(slots, to); });
}

template <typename Kv>
void CpuKvCache::move_all(std::span<const int> slots, int to) {
  const KvLayout<Kv> layout{head_width_};
  for (int layer = 0; layer < layers_; ++layer) {
    for (int head = 0; head < kv_heads_; ++head) {
      Kv* k = keys<Kv>(layer, head);
      Kv* v = values<Kv>(layer, head);
      int target_slot = to;
      for (const int slot : slots) {
        for (int i = 0; i < layout.key_runs(); ++i) {
          const auto source = layout.key_run(slot, i);
          std::copy_n(k + source.offset, source.count, k + layout.key_run(target_slot, i).offset);
        }
        std::copy_n(v + layout.row() * slot, layout.row(), v + layout.row() * target_slot);
        ++target_slot;
      }
    }
  }
}

void CpuKvCache::copy_slots(const KvCache& from, int tokens) {
  const auto* other = dynamic_cast<const CpuKvCache*>(&from);
  if (other == nullptr || other->type_ != type_ || other->layers_ != layers_ ||
      other->kv_heads_ != kv_heads_ || other->head_width_ != head_width_)
    throw std::logic_error("KvCache::copy_prefix: the caches are of two kinds");
  visit_kv(type_, [&](auto kv) { copy_all<decltype(kv)>(*other, tokens); });
}

template <typename Kv>
void CpuKvCache::copy_all(const CpuKvCache& from, int tokens) {
  const KvLayout<Kv> layout{head_width_};
  // Keys are stored in groups of sixteen slots; slots after the last token are overwritten later.
  const std::ptrdiff_t num_keys = layout.sixteen_keys((tokens + 15) / 16);
  const std::ptrdiff_t num_values = layout.row() * tokens;
  for (int layer = 0; layer < layers_; ++layer) {
    for (int head = 0; head < kv_heads_; ++head) {
      std::copy_n(from.keys<Kv>(layer, head), num_keys, keys<Kv>(layer, head));
      std::copy_n(from.values<Kv>(layer, head), num_values, values<Kv>(layer, head));
    }
  }
}

}  // namespace outrider::engine::cpu

#include "runtime/engine/cuda/row_memory.h"

namespace outrider::engine::cuda {
namespace {

/// Makes a buffer of at least so many.
template <typename Buffer>
void grow(Device& device, Buffer& buffer, std::size_t now, std::size_t count) {
  if (now < count) buffer = Buffer(device, count + count / 2);
}
template <typename T>
void grow(Device& device, DeviceBuffer<T>& buffer, std::size_t count) {
  grow(device, buffer, buffer.size(), count);
}
template <typename T>
void grow(Device& device, HostBuffer<T>& buffer, std::size_t count) {
  grow(device, buffer, buffer.span().size(), count);
}

}  // namespace

void RowMemory::reserve(Device& device, const Need& need) {
  grow(device, device_rows, need.rows);
  grow(device, rows, need.rows);
  grow(device, device_changes, need.changes);
  grow(device, changes, need.changes);
  grow(device, device_allowed, need.allowed);
  grow(device, allowed, need.allowed);
  grow(device, changed, need.changed);
  grow(device, candidates, need.candidates);
  grow(device, parts, need.parts);
  grow(device, part_ranks, need.part_ranks);
  grow(device, device_found, need.rows);
  grow(device, found, need.rows);
  grow(device, device_ranked, need.ranked);
  grow(device, ranked, need.ranked);
  grow(device, device_best, need.best);
  grow(device, best, need.best);
  grow(device, device_blocks, need.blocks);
  grow(device, blocks, need.blocks);
  if (finished.size() < need.rows) {
    finished = {device, need.rows + need.rows / 2};
    finished.fill(0);
  }
}

}  // namespace outrider::engine::cuda

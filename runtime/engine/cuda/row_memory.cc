#include "runtime/engine/cuda/row_memory.h"

namespace outrider::engine::cuda {
namespace {

template <typename T>
std::size_t size_of(const DeviceBuffer<T>& buffer) {
  return buffer.size();
}
template <typename T>
std::size_t size_of(const HostBuffer<T>& buffer) {
  return buffer.span().size();
}

}  // namespace

void RowMemory::reserve(Device& device, const Need& need) {
  const auto room = [&](auto& buffer, std::size_t count) {
    if (size_of(buffer) >= count) return false;
    ++moves;  // before, since the device may have no room for it
    buffer = {device, count + count / 2};
    return true;
  };
  room(device_rows, need.rows);
  room(rows, need.rows);
  room(device_changes, need.changes);
  room(changes, need.changes);
  room(device_allowed, need.allowed);
  room(allowed, need.allowed);
  room(changed, need.changed);
  room(candidates, need.candidates);
  room(parts, need.parts);
  room(part_ranks, need.part_ranks);
  room(device_found, need.rows);
  room(found, need.rows);
  room(device_ranked, need.ranked);
  room(ranked, need.ranked);
  room(device_best, need.best);
  room(best, need.best);
  room(device_blocks, need.blocks);
  room(blocks, need.blocks);
  if (room(finished, need.rows)) finished.fill(0);
}

}  // namespace outrider::engine::cuda

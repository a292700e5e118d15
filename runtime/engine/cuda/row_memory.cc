#include "runtime/engine/cuda/row_memory.h"

namespace outrider::engine::cuda {
namespace {

/// Makes a buffer of at least so many. @return whether it is another one
template <typename Buffer>
bool grow(Device& device, Buffer& buffer, std::size_t now, std::size_t count) {
  if (now >= count) return false;
  buffer = Buffer(device, count + count / 2);
  return true;
}
template <typename T>
bool grow(Device& device, DeviceBuffer<T>& buffer, std::size_t count) {
  return grow(device, buffer, buffer.size(), count);
}
template <typename T>
bool grow(Device& device, HostBuffer<T>& buffer, std::size_t count) {
  return grow(device, buffer, buffer.span().size(), count);
}

}  // namespace

bool RowMemory::reserve(Device& device, const Need& need) {
  bool moved = false;
  const auto room = [&](auto& buffer, std::size_t count) {
    moved = grow(device, buffer, count) || moved;
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
  if (grow(device, finished, need.rows)) {
    finished.fill(0);
    moved = true;
  }
  return moved;
}

}  // namespace outrider::engine::cuda

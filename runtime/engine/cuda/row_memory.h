#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/engine/cuda/device.h"
#include "runtime/engine/cuda/row_args.h"

namespace outrider::engine::cuda {

/// The memory of a reader of rows: what it asks, what kernels keep meanwhile, and what comes back. It grows and stays.
struct RowMemory {
  /// Elements.
  struct Need {
    std::size_t rows = 0;
    std::size_t changes = 0;
    std::size_t allowed = 0;
    std::size_t changed = 0;
    std::size_t candidates = 0;
    std::size_t parts = 0;
    std::size_t part_ranks = 0;
    std::size_t ranked = 0;
    std::size_t best = 0;
    std::size_t blocks = 0;
  };
  /// @throws InputError where the device has not so much left
  void reserve(Device& device, const Need& need);
  /// How often some of it has moved.
  int moves = 0;

  // Asked.
  DeviceBuffer<ReadRow> device_rows;
  DeviceBuffer<TokenChange> device_changes;
  DeviceBuffer<std::uint32_t> device_allowed;
  HostBuffer<ReadRow> rows;
  HostBuffer<TokenChange> changes;
  HostBuffer<std::uint32_t> allowed;

  DeviceBuffer<double> changed;
  DeviceBuffer<Candidate> candidates;
  DeviceBuffer<PartFound> parts;
  DeviceBuffer<ScoredToken> part_ranks;
  DeviceBuffer<unsigned> finished;

  // Found.
  DeviceBuffer<RowFound> device_found;
  DeviceBuffer<RankedToken> device_ranked;
  DeviceBuffer<ScoredToken> device_best;
  DeviceBuffer<ExpBlock> device_blocks;
  HostBuffer<RowFound> found;
  HostBuffer<RankedToken> ranked;
  HostBuffer<ScoredToken> best;
  HostBuffer<ExpBlock> blocks;
};

}  // namespace outrider::engine::cuda

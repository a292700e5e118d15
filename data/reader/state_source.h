#pragma once

#include <memory>
#include <vector>

#include "data/store/trace_store.h"
#include "data/trace.h"
#include "runtime/inference/target.h"

namespace outrider::data {

/// A source of traces' hidden states. All kinds give the same bits, so training does not depend on the
/// kind.
class StateSource {
 public:
  virtual ~StateSource() = default;
  /// @return for each requested layer, in order, [positions, width]
  virtual std::vector<LayerStates> states(const ShardReader& shard, std::size_t i,
                                          const Trace& trace) = 0;
};

/// Forwards the traces' tokens through the target that generated them. @param target  must outlive it
/// @throws InputError for another model, or other numerics, than the store's
std::unique_ptr<StateSource> recomputed_states(const TraceStore& store, inference::Target& target,
                                               std::vector<int> layers);

/// Reads the states that a store has kept (`data traces --store features`).
/// @throws InputError naming the first of the layers that the store lacks
std::unique_ptr<StateSource> stored_states(const TraceStore& store, std::vector<int> layers);

/// Whether a store has kept the states of all these layers.
bool has_states(const TraceStore& store, const std::vector<int>& layers);

}  // namespace outrider::data

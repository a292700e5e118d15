#pragma once

#include "data/store/trace_store.h"
#include "runtime/inference/target.h"

namespace outrider::data {

/// That this target, given the tokens of the store, computes the bits that made it.
/// @throws InputError for another model or other numerics than the store's
void check_made_by(const TraceStore& store, const inference::Target& target);

}  // namespace outrider::data

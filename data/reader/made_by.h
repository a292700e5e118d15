#pragma once

#include <string>

#include "data/store/trace_store.h"
#include "runtime/inference/target.h"

namespace outrider::data {

/// Checks that the store was made with this model.
/// @throws InputError for another model than the store's
void check_made_by(const TraceStore& store, const model::Model& model);

/// Checks that a model with LongRoPE rotates tokens as the one that made the store did: see model::extend_context.
/// @throws InputError where one of them is for texts beyond the original context and the other is not
void check_same_rotation(const TraceStore& store, const model::Model& model);

/// Checks that this target computes the same bits as the one that made the store.
/// @throws InputError for another model or other numerics than the store's
void check_made_by(const TraceStore& store, const inference::Target& target);

/// The same of what has a store's identity. @param name  of it, for messages
void check_made_by(const StoreIdentity& identity, const std::string& name,
                   const inference::Target& target);

}  // namespace outrider::data

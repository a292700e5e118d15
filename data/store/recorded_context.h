#pragma once

#include "data/store/store_identity.h"

namespace outrider::data {

/// The context that traces were recorded with, in tokens; 0 where the store does not say.
int recorded_context(const StoreIdentity& identity);

}  // namespace outrider::data

#pragma once

#include <string>
#include <vector>

#include "data/store/store_identity.h"

namespace outrider::data {

/// The context length that traces were recorded with, in tokens; 0 where the store does not say.
int context_length(const StoreIdentity& identity);
/// That of the first of these stores; 0 where there is none. @throws InputError as TraceStore
int context_length(const std::vector<std::string>& folders);

}  // namespace outrider::data

#pragma once

#include <string>

#include "data/store/trace_store.h"

namespace outrider::data {

/// A message with what is missing in a store and how to finish it; empty if complete.
std::string unfinished_text(const TraceStore& store);

/// Prints it on standard error, for commands that work on unfinished stores.
void warn_if_unfinished(const TraceStore& store);

}  // namespace outrider::data

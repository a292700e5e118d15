#pragma once

#include <string>

#include "data/store/trace_store.h"

namespace outrider::data {

/// What is missing in a store and how it is finished, as a sentence; empty when nothing is.
std::string unfinished_text(const TraceStore& store);

/// Says it on standard error, for commands that take what there is.
void warn_if_unfinished(const TraceStore& store);

}  // namespace outrider::data

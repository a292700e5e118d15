#pragma once

#include "data/commands/trace_options.h"

namespace outrider::data {

/// `data traces --add-to`: scores the traces of a finished store with a draft model, into a group of it.
/// @throws InputError; Interrupted, after which the same call continues
void add_draft_scores(const TraceOptions& options);

}  // namespace outrider::data

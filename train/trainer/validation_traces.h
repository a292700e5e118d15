#pragma once

#include <span>
#include <vector>

#include "data/reader/state_source.h"
#include "data/split.h"
#include "data/store/trace_store.h"

namespace outrider::train {

/// The traces of prompts that are for validation: at most so many, chosen by a hash of their names, so
/// that they are a fair part of all stores and the same in every run.
/// @param states  [stores]; empty: without hidden states
/// @throws InputError if there are none
std::vector<data::Trace> validation_traces(const std::vector<data::TraceStore>& stores,
                                           const data::SplitOptions& split, std::size_t most,
                                           std::span<data::StateSource* const> states = {});

}  // namespace outrider::train

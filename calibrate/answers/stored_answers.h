#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "calibrate/answers/answer.h"
#include "data/store/trace_store.h"
#include "data/trace.h"

namespace outrider::calibrate {

/// The answer of a trace, ending before its final loop if there is one.
/// @param sampler  the target's sampling, except the temperature and the seed, which are the
///                 trace's own
Answer answer_of(const data::Trace& trace, sampling::SamplerOptions sampler = {});

/// Called with the answer of a shard's i-th trace.
using OnStored =
    std::function<void(const Answer& answer, const data::ShardReader& shard, std::size_t i)>;

/// @throws InputError for a store without traces
void check_has_traces(const data::TraceStore& store);
/// Visits the answers of a shard's traces.
void for_each_answer_of(const data::TraceStore& store, int shard, const OnStored& visit);
/// Visits the answers of all traces, in the store's order.
/// @throws InputError when there are none
void for_each_stored_answer(const data::TraceStore& store, const OnStored& visit);
std::vector<Answer> read_stored_answers(const data::TraceStore& store);

}  // namespace outrider::calibrate

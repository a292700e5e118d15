#pragma once

#include <cstdint>

#include "train/parallelspec/group_batch.h"

namespace outrider::train {

/// Some of a trace's possible starts, evenly spread over them from a random one on: a function of the
/// arguments. @param most  0: all
GroupStarts some_starts(const GroupStarts& possible, int most, std::uint64_t random);

/// A stretch of consecutive output tokens, at most so many, that begins at a random one of the possible
/// starts which leaves as many after it as there can be.
GroupStarts a_stretch(const GroupStarts& possible, int output_tokens, int most,
                      std::uint64_t random);

/// A random number that depends on the trace and on `salt` only.
std::uint64_t random_of(const data::Trace& trace, std::uint64_t salt);

}  // namespace outrider::train

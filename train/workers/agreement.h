#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "train/workers/workers.h"

namespace outrider::train {

/// Compares what each worker knows of the run: its flags, traces, program and arithmetic.
/// @param facts  an object; values that differ are named by their keys
/// @throws InputError naming the first difference, the workers and both values; all workers throw the same
void check_alike(Workers& workers, const nlohmann::json& facts);

/// Compares hashes of the parameters.
/// @throws CheckFailed naming the workers that differ from worker 0
void check_same_weights(Workers& workers, const std::string& hash, std::int64_t step);

/// Checks that a step's batches can be the leaves of one tree for so many workers.
/// @throws InputError with the value to give
void check_divisible(int accumulate, int workers);

}  // namespace outrider::train

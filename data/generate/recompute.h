#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/generate/recipe.h"
#include "data/trace.h"
#include "runtime/inference/target.h"

namespace outrider::data {

/// Generates recorded traces again, each from its own prompt tokens, temperature and seed.
/// @param recipe       that of the recorded traces
/// @param interrupted  asked before every pass; empty: nothing ends it
/// @return traces with everything that the recipe asks for, in the same order; nothing when interrupted
/// @throws InputError for sampler options that do not fit the vocabulary
std::optional<std::vector<Trace>> recompute(inference::Target& target, const Recipe& recipe,
                                            std::span<const Trace> recorded,
                                            const std::function<bool()>& interrupted);

/// Generates traces as recompute does, by code of its own that shares neither the batch generator
/// nor decode::Sequence, so that it can verify them: every token of a prompt and an answer in a
/// pass of one row, with a new KV cache for each trace.
std::optional<std::vector<Trace>> recompute_one_row(inference::Target& target, const Recipe& recipe,
                                                    std::span<const Trace> recorded,
                                                    const std::function<bool()>& interrupted);

/// The context to generate a recorded trace again with: its length where a full context ended it, as the
/// target's may be larger now.
int recorded_context(const Trace& recorded, const inference::Target& target);

/// The dataset of the first bit that differs between two traces; empty if they are equal.
std::string first_difference(const Trace& a, const Trace& b);

}  // namespace outrider::data

#pragma once

#include <memory>
#include <optional>
#include <string>

#include "runtime/draft/parallelspec/pair_counts.h"
#include "runtime/methods/method_target.h"

namespace outrider::methods {

/// What `calibrate pair-counts` counted; null where it did not.
/// @param artifacts  the setting; empty: those in checkpoints/
std::shared_ptr<const draft::PairCounts> find_pair_counts(const MethodTarget& target,
                                                          const std::string& artifacts);

/// The same for a flag that needs them. @throws InputError where nothing was counted
std::shared_ptr<const draft::PairCounts> needed_pair_counts(const MethodTarget& target,
                                                            const std::string& artifacts,
                                                            const std::string& flag);

/// How parallel drafts rank the tokens of a depth by those before them, from what `calibrate pair-counts` counted.
/// @param artifacts  the setting
/// @param weight     the setting; nothing: the usual one where the artifacts have counts, else 0
/// @throws InputError for a weight above 0 without counts
draft::PairWeights find_pair_weights(const MethodTarget& target, const std::string& artifacts,
                                     std::optional<double> weight);

}  // namespace outrider::methods

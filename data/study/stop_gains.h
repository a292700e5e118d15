#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/study/bootstrap.h"
#include "data/study/stop_study.h"

namespace outrider::study {

/// What a policy gains, as a function of texts: times are per token, of all of these texts together.
enum class StopGain {
  kTimeOfTarget,     // its time as a share of that of the target alone
  kTimeOfStatic,     // of that of the faster static policy
  kTimeOfHeuristic,  // of that of the heuristic
  kShareOfGap,  // of the time between the faster static policy and the oracle that it saves: what is between
                // these is what any choice of lengths can save (DISCO: Mamou et al. 2024, table 1)
};

/// A gain and its interval over texts: in the mean of the studies, each counting the same. In every draw of texts
/// the faster static policy is the one that is faster on them. Nothing where a study lacks a policy that it
/// takes, and where the gap to the oracle is none.
std::optional<Interval> stop_gain(std::span<const StopStudy> studies, const std::string& policy,
                                  StopGain gain);
/// Of one study.
std::optional<Interval> stop_gain(const StopStudy& study, const std::string& policy, StopGain gain);

}  // namespace outrider::study

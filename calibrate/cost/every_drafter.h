#pragma once

#include <string>
#include <vector>

#include "calibrate/cost/measure_drafters.h"
#include "runtime/methods/method_target.h"

namespace outrider::calibrate {

struct EveryDrafter {
  std::vector<NamedDrafter> drafters;
  std::vector<std::string> left_out;  // methods whose artifacts are missing
};

/// The drafters of all methods whose artifacts exist, with ten drafts of ten tokens where that
/// applies.
/// @param artifacts  as --artifacts of decoding
EveryDrafter every_drafter(const methods::MethodTarget& target, const std::string& artifacts);

}  // namespace outrider::calibrate

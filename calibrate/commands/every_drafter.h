#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "calibrate/cost/measure_drafters.h"
#include "runtime/engine/engine.h"
#include "runtime/model/model.h"

namespace outrider::calibrate {

struct EveryDrafter {
  std::vector<NamedDrafter> drafters;
  std::vector<std::string> left_out;  // methods that want what the artifact lacks
};

/// The drafters of all methods that have what they need: ten drafts of ten tokens, where they take
/// such numbers.
/// @param artifact  need not be there
EveryDrafter every_drafter(const model::Model& model, const engine::Engine& engine,
                           const std::filesystem::path& artifact);

}  // namespace outrider::calibrate

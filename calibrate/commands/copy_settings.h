#pragma once

#include <filesystem>
#include <vector>

#include "calibrate/pld_plus/copy_table.h"
#include "calibrate/replay/answer.h"
#include "runtime/artifacts/copy_settings.h"
#include "runtime/engine/engine.h"

namespace outrider::calibrate {

/// Chooses the setting that is the fastest by what passes cost behind as many tokens as the answers have
/// before them on average: see `pass_costs`; and lengths for each step, by the same costs.
/// @param table  of one ranking, of the answers
artifacts::CopySettings find_settings(const engine::Engine& target,
                                      const std::vector<Answer>& answers,
                                      const std::vector<double>& thresholds,
                                      const std::filesystem::path& artifact,
                                      const CopyTable& table);

}  // namespace outrider::calibrate

#pragma once

#include <string>
#include <vector>

#include "calibrate/pld_plus/choose_settings.h"
#include "calibrate/replay/answer.h"
#include "runtime/engine/engine.h"

namespace outrider::calibrate {

/// Times passes of the target behind as many tokens as the answers have before them on average, and
/// chooses the setting that these times make the fastest.
artifacts::CopySettings find_settings(const engine::Engine& target,
                                      const std::vector<Answer>& answers,
                                      const std::vector<double>& thresholds,
                                      const ReplaySetting& replay);

}  // namespace outrider::calibrate

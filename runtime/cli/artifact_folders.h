#pragma once

#include "runtime/artifacts/artifact_set.h"

namespace outrider::cli {

/// checkpoints/ in the working folder, then the one shipped with the programs.
artifacts::Folders artifact_folders();

}  // namespace outrider::cli

#include "runtime/cli/artifact_folders.h"

#include "runtime/base/shipped_file.h"

namespace outrider::cli {

artifacts::Folders artifact_folders() { return {"checkpoints", shipped_file("checkpoints")}; }

}  // namespace outrider::cli

#pragma once

#include "runtime/artifacts/artifact_set.h"
#include "runtime/base/notices.h"

namespace outrider::cli {

/// Writes each notice as a line to standard error; warnings only if `quiet`.
Notices notices(bool quiet);

/// Names the artifact files that cannot be read, on standard error.
void tell_refused(const artifacts::ArtifactSet& artifacts);

}  // namespace outrider::cli

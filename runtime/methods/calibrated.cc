#include "runtime/methods/calibrated.h"

namespace outrider::methods {

Calibrated find_calibrated(const MethodTarget& target, std::string& artifacts,
                           const std::string& group, const std::string& command) {
  Calibrated found;
  found.known = target.load_once<artifacts::ArtifactSet>(
      artifacts, [&] { return artifacts::ArtifactSet(target.identity(), artifacts); });
  found.file = found.known->with(group, command);
  if (found.file != nullptr) artifacts = found.file->reader().name();
  return found;
}

}  // namespace outrider::methods

#include "runtime/methods/calibrated.h"

namespace outrider::methods {

std::shared_ptr<const artifacts::ArtifactSet> known_artifacts(const MethodTarget& target,
                                                              const std::string& artifacts) {
  return target.load_once<artifacts::ArtifactSet>(artifacts, [&] {
    artifacts::ArtifactSet known(target.identity(), artifacts, target.folders());
    for (const std::string& file : known.refused()) target.warn(file + "; left out");
    return known;
  });
}

std::string folders_text(const MethodTarget& target) {
  return target.folders().empty() ? "no folder" : target.folders().front().string() + "/";
}

Calibrated find_calibrated(const MethodTarget& target, std::string& artifacts,
                           const std::string& group, const std::string& command) {
  Calibrated found;
  found.known = known_artifacts(target, artifacts);
  found.file = found.known->with(group, command);
  if (found.file != nullptr) artifacts = found.file->reader().name();
  return found;
}

}  // namespace outrider::methods

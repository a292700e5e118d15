#include "runtime/methods/calibrated.h"

#include "runtime/artifacts/find_artifact.h"
#include "runtime/cli/decode_options.h"

namespace outrider {

std::optional<artifacts::ArtifactFile> calibrated(DecodeOptions& options, const model::Model& model,
                                                  const std::string& group,
                                                  const std::string& command) {
  const artifacts::TargetIdentity target = artifacts::identity_of(model);
  const bool named = !options.artifacts.empty();
  const std::filesystem::path path = named ? std::filesystem::path(options.artifacts)
                                           : artifacts::find_artifact(target, group).value_or("");
  if (path.empty()) return std::nullopt;
  artifacts::ArtifactFile file(path);
  file.check_made_for(target);
  file.check_has(group, command);
  options.artifacts = path.string();
  return file;
}

}  // namespace outrider

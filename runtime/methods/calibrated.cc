#include "runtime/methods/calibrated.h"

#include "runtime/cli/decode_options.h"

namespace outrider {

artifacts::ArtifactSet artifacts_of(const DecodeOptions& options, const model::Model& model) {
  return {artifacts::identity_of(model), options.artifacts};
}

const artifacts::ArtifactFile* calibrated(DecodeOptions& options,
                                          const artifacts::ArtifactSet& known,
                                          const std::string& group, const std::string& command) {
  const artifacts::ArtifactFile* file = known.with(group, command);
  if (file != nullptr) options.artifact_read = file->reader().name();
  return file;
}

}  // namespace outrider

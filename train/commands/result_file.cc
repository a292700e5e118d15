#include "train/commands/result_file.h"

#include "runtime/artifacts/artifact_file.h"
#include "runtime/artifacts/artifact_set.h"
#include "runtime/artifacts/replace_group.h"
#include "runtime/base/opened_files.h"

namespace outrider::train {

std::filesystem::path result_file(const std::string& given, const artifacts::TargetIdentity& target,
                                  const std::string& group) {
  std::filesystem::path path = artifacts::file_to_write(given, target, group);
  claim_update("--artifacts", path);
  artifacts::check_can_write(path);
  if (std::filesystem::exists(path)) artifacts::ArtifactFile(path).check_made_for(target);
  return path;
}

}  // namespace outrider::train

#include "runtime/artifacts/find_artifact.h"

#include <algorithm>
#include <vector>

#include "runtime/artifacts/artifact_file.h"
#include "runtime/base/error.h"
#include "runtime/base/shipped_file.h"

namespace outrider::artifacts {
namespace {

bool is_made_for(const std::filesystem::path& path, const TargetIdentity& model) {
  try {
    return difference(ArtifactFile(path).target(), model).empty();
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

std::optional<std::filesystem::path> find_artifact(const TargetIdentity& model,
                                                   const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    if (entry.path().extension() == ".h5") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& file : files) {
    if (is_made_for(file, model)) return file;
  }
  return std::nullopt;
}

std::optional<std::filesystem::path> find_artifact(const TargetIdentity& model) {
  if (auto here = find_artifact(model, kArtifactFolder)) return here;
  return find_artifact(model, shipped_file(kArtifactFolder));
}

std::filesystem::path artifact_to_write(const std::filesystem::path& given,
                                        const TargetIdentity& model) {
  if (!given.empty()) return given;
  if (const auto found = find_artifact(model, kArtifactFolder)) return *found;
  return std::filesystem::path(kArtifactFolder) /
         std::filesystem::path(model.name).replace_extension(".h5");
}

}  // namespace outrider::artifacts

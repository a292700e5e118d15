#include "runtime/artifacts/find_artifact.h"

#include <algorithm>
#include <vector>

#include "runtime/artifacts/artifact_file.h"
#include "runtime/base/error.h"
#include "runtime/base/shipped_file.h"

namespace outrider::artifacts {
namespace {

bool serves(const std::filesystem::path& path, const TargetIdentity& model,
            const std::string& group) {
  try {
    const ArtifactFile file(path);
    return difference(file.target(), model).empty() && (group.empty() || file.has(group));
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

std::optional<std::filesystem::path> artifact_in(const std::filesystem::path& folder,
                                                 const TargetIdentity& model,
                                                 const std::string& group) {
  std::vector<std::filesystem::path> files;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    if (entry.path().extension() == ".h5") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& file : files) {
    if (serves(file, model, group)) return file;
  }
  return std::nullopt;
}

std::optional<std::filesystem::path> find_artifact(const TargetIdentity& model,
                                                   const std::string& group) {
  if (auto here = artifact_in(kArtifactFolder, model, group)) return here;
  return artifact_in(shipped_file(kArtifactFolder), model, group);
}

std::filesystem::path artifact_to_write(const std::filesystem::path& given,
                                        const TargetIdentity& model) {
  if (!given.empty()) return given;
  if (const auto found = artifact_in(kArtifactFolder, model, "")) return *found;
  return std::filesystem::path(kArtifactFolder) /
         std::filesystem::path(model.name).replace_extension(".h5");
}

}  // namespace outrider::artifacts

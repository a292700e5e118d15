#include "runtime/artifacts/artifact_file.h"

#include <fmt/core.h>

#include <set>

#include "runtime/base/error.h"
#include "runtime/hdf5/dataset_paths.h"

namespace outrider::artifacts {

ArtifactFile::ArtifactFile(hdf5::Reader file)
    : reader_(std::move(file)), target_(read_target(reader_)) {}

void ArtifactFile::check_made_for(const TargetIdentity& model) const {
  const std::string differs = difference(target_, model);
  if (!differs.empty()) throw InputError(fmt::format("{}: {}", reader_.name(), differs));
}

std::vector<std::string> ArtifactFile::groups() const {
  const std::string mark = "/provenance/command";
  std::set<std::string> groups;
  for (const std::string& path : hdf5::dataset_paths(reader_)) {
    if (path.ends_with(mark) && path.size() > mark.size())
      groups.insert(path.substr(0, path.size() - mark.size()));
  }
  return {groups.begin(), groups.end()};
}

}  // namespace outrider::artifacts

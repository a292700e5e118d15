#include "runtime/artifacts/artifact_file.h"

#include <fmt/core.h>

#include <set>

#include "runtime/base/error.h"
#include "runtime/base/file_kind.h"
#include "runtime/hdf5/checksum.h"
#include "runtime/hdf5/dataset_paths.h"

namespace outrider::artifacts {

namespace {

hdf5::Reader reader_of(const std::filesystem::path& path) {
  check_is_file_or_folder(path);
  if (hdf5::looks_like_hdf5(path) && !hdf5::has_checksum(path))
    throw InputError(fmt::format(
        "{}: expected an artifact file, which begins with a checksum, found one without, as "
        "earlier versions wrote them; remove it, and `calibrate all` makes what it had anew, or "
        "`train draft` and `train parallelspec` where it had a drafter",
        path.string()));
  try {
    return hdf5::Reader(path);
  } catch (const hdf5::DamagedFile& error) {
    throw InputError(std::string(error.what()) +
                     "; put back a copy of it, or remove it and make it anew");
  }
}

}  // namespace

void check_is_file_or_folder(const std::filesystem::path& path) {
  std::error_code none;
  const std::filesystem::file_status status = std::filesystem::status(path, none);
  if (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status) ||
      std::filesystem::is_directory(status))
    return;
  throw InputError(
      fmt::format("{}: expected an artifact file (*.h5) or a folder of such files, found {}",
                  path.string(), file_kind(path)));
}

ArtifactFile::ArtifactFile(const std::filesystem::path& path) : ArtifactFile(reader_of(path)) {}

ArtifactFile::ArtifactFile(hdf5::Reader file)
    : reader_(std::move(file)), target_(read_target(reader_)) {}

void ArtifactFile::check_made_for(const TargetIdentity& model) const {
  const std::string differs = difference(target_, model);
  if (!differs.empty()) throw InputError(fmt::format("{}: {}", reader_.name(), differs));
}

std::vector<std::string> ArtifactFile::groups() const {
  const std::string mark = kMark;
  std::set<std::string> groups;
  for (const std::string& path : hdf5::dataset_paths(reader_)) {
    if (path.ends_with(mark) && path.size() > mark.size())
      groups.insert(path.substr(0, path.size() - mark.size()));
  }
  return {groups.begin(), groups.end()};
}

std::vector<std::string> ArtifactFile::datasets_of(const std::string& group) const {
  if (!reader_.is_group(group)) return {};
  const std::string own = group + "/";
  std::vector<std::string> paths = hdf5::dataset_paths(reader_, group);
  for (const std::string& other : groups())
    if (other.starts_with(own))
      std::erase_if(paths, [below = other + "/"](const std::string& path) {
        return path.starts_with(below);
      });
  return paths;
}

}  // namespace outrider::artifacts

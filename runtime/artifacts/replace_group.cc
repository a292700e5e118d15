#include "runtime/artifacts/replace_group.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <set>
#include <string_view>

#include "runtime/artifacts/artifact_file.h"
#include "runtime/artifacts/artifact_set.h"
#include "runtime/base/atomic_file.h"
#include "runtime/base/build_name.h"
#include "runtime/base/error.h"
#include "runtime/base/file_kind.h"
#include "runtime/base/file_lock.h"
#include "runtime/base/output_path.h"
#include "runtime/base/utc_time.h"
#include "runtime/hdf5/checksum.h"
#include "runtime/hdf5/dataset_paths.h"

namespace outrider::artifacts {
namespace {

constexpr std::size_t kMaxCopied = 1 << 24;

void copy(const hdf5::Reader& from, const std::string& path, hdf5::Writer& to) {
  const hdf5::DatasetInfo info = from.info(path);
  if (info.is_text) return to.add_text(path, from.read_text(path, kMaxCopied));
  const std::vector<std::byte> bytes = from.read_bytes(path);
  const hdf5::Packing packing =
      info.stored_bytes < bytes.size() ? hdf5::Packing::kPacked : hdf5::Packing::kPlain;
  to.add_numbers(path, info.type, info.dims, bytes, packing);
}

/// Copies everything except the group and the target, which are written anew. Groups of other results below the group stay.
void copy_others(const ArtifactFile& file, const std::string& group, hdf5::Writer& to) {
  const std::vector<std::string> paths = file.datasets_of(group);
  const std::set<std::string> own(paths.begin(), paths.end());
  for (const std::string& path : hdf5::dataset_paths(file.reader())) {
    if (own.contains(path) || path.starts_with("/target/")) continue;
    copy(file.reader(), path, to);
  }
}

void make_folder_of(const std::filesystem::path& path) {
  if (!path.has_parent_path()) return;
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  if (error) throw InputError(fmt::format("{}: {}", path.parent_path().string(), error.message()));
}

std::filesystem::path lock_of(const std::filesystem::path& path) {
  return follow_links(path).string() + ".lock";
}

/// The folder of a path, or the nearest above it that exists.
std::filesystem::path existing_folder_of(const std::filesystem::path& path) {
  std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
  while (!std::filesystem::exists(folder) && folder.has_relative_path())
    folder = folder.parent_path();
  return folder;
}

}  // namespace

void check_can_write(const std::filesystem::path& path) {
  check_is_file_or_folder(path);
  const std::filesystem::path target = follow_links(path);
  const std::filesystem::path folder = existing_folder_of(target);
  if (!std::filesystem::is_directory(folder))
    throw InputError(
        fmt::format("{}: expected a folder, found {}", folder.string(), file_kind(folder)));
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    throw InputError(
        fmt::format("{}: cannot write there: {}", folder.string(), std::strerror(errno)));
  if (folder != std::filesystem::absolute(target).parent_path()) return;  // is made with the file
  check_can_replace(path);
  const std::filesystem::path lock = lock_of(path);
  if (!std::filesystem::exists(lock)) return;
  if (!std::filesystem::is_regular_file(lock))
    throw InputError(
        fmt::format("{}: expected a file to lock, found {}", lock.string(), file_kind(lock)));
  if (::access(lock.c_str(), R_OK | W_OK) != 0)
    throw InputError(fmt::format("{}: cannot lock: {}", lock.string(), std::strerror(errno)));
}

std::filesystem::path checked_file_to_write(const std::filesystem::path& named,
                                            const Folders& folders, const TargetIdentity& target,
                                            const std::string& group) {
  std::filesystem::path path = file_to_write(named, folders, target, group);
  check_can_write(path);
  if (std::filesystem::exists(path)) ArtifactFile(path).check_made_for(target);
  return path;
}

void replace_group(const std::filesystem::path& path, const TargetIdentity& target,
                   const std::string& group, Provenance provenance, const FillGroup& fill) {
  provenance.code_version = code_version();
  provenance.date = utc_now();
  make_folder_of(path);
  const FileLock lock(lock_of(path));
  hdf5::Writer writer;
  write_target(target, writer);
  if (std::filesystem::exists(path)) {
    const ArtifactFile before(path);
    before.check_made_for(target);
    copy_others(before, group, writer);
  }
  write_provenance(provenance, group, writer);
  fill(writer, group);
  std::vector<std::byte> bytes = writer.finish();
  hdf5::add_checksum(bytes);
  write_file_atomically(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace outrider::artifacts

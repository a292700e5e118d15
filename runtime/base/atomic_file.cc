#include "runtime/base/atomic_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <utility>

#include "runtime/base/descriptors.h"
#include "runtime/base/error.h"
#include "runtime/base/output_path.h"

namespace outrider {
namespace {

/// Whether something is mounted on a path itself, such as a single file in a container.
bool is_mount_point(const std::filesystem::path& path) {
  struct statx status = {};
  return ::statx(AT_FDCWD, path.c_str(), 0, 0, &status) == 0 &&
         (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

/// The temporary file's path. Of a name that gets too long with its end only the beginning is in it; a name that is
/// too long itself stays so, to be refused before the work.
std::filesystem::path part_of(const std::filesystem::path& path) {
  const std::string end = fmt::format(".part-{}", ::getpid());
  const std::string name = path.filename().string();
  const std::size_t kept = name.size() > NAME_MAX ? name.size() : NAME_MAX - end.size();
  return path.parent_path() / (name.substr(0, kept) + end);
}

}  // namespace

AtomicFile::AtomicFile(const std::filesystem::path& path, std::string name)
    : name_(name.empty() ? path.string() : std::move(name)),
      path_(follow_links(path)),
      part_(part_of(path_)) {
  std::error_code none;
  const auto status = std::filesystem::status(path_, none);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    errno = std::filesystem::is_directory(status) ? EISDIR : EINVAL;
    fail("replace");
  }
  if (is_mount_point(path_))
    throw InputError(fmt::format(
        "{}: cannot replace: is a mount point; give a file in a folder that is mounted", name_));
  ::unlink(part_.c_str());  // left by a killed process with the same id
  descriptor_ = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail("create");
  take_over_owner();
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!part_.empty()) ::unlink(part_.c_str());
}

void AtomicFile::take_over_owner() const {
  struct stat before = {};
  if (::stat(path_.c_str(), &before) != 0) return;
  // Changing the owner may not be permitted; then the file is the writer's.
  [[maybe_unused]] const int given = ::fchown(descriptor_, before.st_uid, before.st_gid);
  ::fchmod(descriptor_, before.st_mode & 07777);
}

void AtomicFile::write(std::string_view bytes) {
  errno = write_whole(descriptor_, bytes);
  if (errno != 0) fail("write");
}

void AtomicFile::write_at(std::uint64_t offset, std::string_view bytes) {
  errno = write_whole_at(descriptor_, offset, bytes);
  if (errno != 0) fail("write");
}

void AtomicFile::commit() {
  // Some file systems cannot flush, and have nothing to flush to.
  if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOSYS) fail("write");
  close();
  if (std::rename(part_.c_str(), path_.c_str()) != 0) fail("replace");
  part_.clear();
  sync_folder(path_.has_parent_path() ? path_.parent_path() : ".");
}

void AtomicFile::close() {
  const int descriptor = std::exchange(descriptor_, -1);
  if (::close(descriptor) != 0) fail("write");
}

void AtomicFile::fail(const char* action) const {
  throw InputError(fmt::format("{}: cannot {}: {}", name_, action, std::strerror(errno)));
}

void check_can_replace(const std::filesystem::path& path, std::string name) {
  const AtomicFile trial(path, std::move(name));
}

void sync_folder(const std::filesystem::path& folder) {
  // Not every file system supports this, and the bytes are already on disk, so failure is not an error.
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

void write_file_atomically(const std::filesystem::path& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace outrider

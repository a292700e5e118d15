#include "runtime/base/atomic_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "runtime/base/error.h"

namespace outrider {

AtomicFile::AtomicFile(std::filesystem::path path)
    : path_(std::move(path)), part_(fmt::format("{}.part-{}", path_.string(), ::getpid())) {
  descriptor_ = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail("create");
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!part_.empty()) ::unlink(part_.c_str());
}

void AtomicFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("write");
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void AtomicFile::write_at(std::uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count =
        ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("write");
    bytes.remove_prefix(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
}

void AtomicFile::commit() {
  if (::fsync(descriptor_) != 0) fail("write");
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
  throw InputError(fmt::format("{}: cannot {}: {}", path_.string(), action, std::strerror(errno)));
}

void sync_folder(const std::filesystem::path& folder) {
  // Not every file system can do this, and the bytes are safe already, so a refusal is no error.
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

#include "runtime/model/mapped_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "runtime/base/error.h"

namespace outrider::model {
namespace {

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{1'000'000'000} * time.tv_sec + time.tv_nsec;
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path)
    : path_(path),
      // O_NONBLOCK: opening a pipe must fail below, not wait for a writer.
      descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  try {
    map();
  } catch (...) {
    if (descriptor_ >= 0) ::close(descriptor_);
    throw;
  }
}

void MappedFile::map() {
  if (descriptor_ < 0) {
    const int error = errno;
    if (error == ENOENT) throw InputError(fmt::format("{}: no such file", path_.string()));
    throw InputError(fmt::format("{}: cannot be opened: {}", path_.string(), std::strerror(error)));
  }
  struct stat status = {};
  if (::fstat(descriptor_, &status) != 0) {
    throw InputError(fmt::format("{}: cannot be read: {}", path_.string(), std::strerror(errno)));
  }
  if (S_ISDIR(status.st_mode)) {
    throw InputError(fmt::format("{}: is a directory, expected a file", path_.string()));
  }
  if (!S_ISREG(status.st_mode)) {
    throw InputError(fmt::format("{}: is not a regular file", path_.string()));
  }
  if (status.st_size == 0) throw InputError(fmt::format("{}: the file is empty", path_.string()));

  const auto size = static_cast<std::size_t>(status.st_size);
  void* start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor_, 0);
  if (start == MAP_FAILED) {
    throw InputError(fmt::format("{}: cannot be mapped: {}", path_.string(), std::strerror(errno)));
  }
  written_ = nanoseconds(status.st_mtim);
  bytes_ = {static_cast<const std::byte*>(start), size};
  watched_.emplace(bytes_, path_.string());
}

MappedFile::~MappedFile() {
  watched_.reset();
  ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());  // mmap returned it as non-const
  ::close(descriptor_);
}

void MappedFile::check_unchanged() const {
  struct stat status = {};
  const bool same = ::fstat(descriptor_, &status) == 0 &&
                    static_cast<std::size_t>(status.st_size) == bytes_.size() &&
                    nanoseconds(status.st_mtim) == written_;
  if (same) return;
  throw InputError(
      fmt::format("{}: was written to while it was read (expected a file that stays as it is); "
                  "start again when it is complete",
                  path_.string()));
}

void MappedFile::release_pages() const {
  ::madvise(const_cast<std::byte*>(bytes_.data()), bytes_.size(), MADV_DONTNEED);
}

}  // namespace outrider::model

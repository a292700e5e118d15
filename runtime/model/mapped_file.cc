#include "runtime/model/mapped_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "runtime/base/error.h"
#include "runtime/base/opened_files.h"

namespace outrider::model {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) : path_(path) {
  // O_NONBLOCK: opening a pipe must fail below, not wait for a writer.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.number() < 0) {
    const int error = errno;
    if (error == ENOENT) throw InputError(fmt::format("{}: no such file", path.string()));
    throw InputError(fmt::format("{}: cannot be opened: {}", path.string(), std::strerror(error)));
  }
  struct stat status = {};
  if (::fstat(file.number(), &status) != 0) {
    throw InputError(fmt::format("{}: cannot be read: {}", path.string(), std::strerror(errno)));
  }
  if (S_ISDIR(status.st_mode)) {
    throw InputError(fmt::format("{}: is a directory, expected a file", path.string()));
  }
  if (!S_ISREG(status.st_mode)) {
    throw InputError(fmt::format("{}: is not a regular file", path.string()));
  }
  note_input(file.number(), path.string());
  if (status.st_size == 0) throw InputError(fmt::format("{}: the file is empty", path.string()));

  const auto size = static_cast<std::size_t>(status.st_size);
  void* start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (start == MAP_FAILED) {
    throw InputError(fmt::format("{}: cannot be mapped: {}", path.string(), std::strerror(errno)));
  }
  bytes_ = {static_cast<const std::byte*>(start), size};
}

MappedFile::~MappedFile() {
  ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());  // mmap returned it as non-const
}

void MappedFile::release_pages() const {
  ::madvise(const_cast<std::byte*>(bytes_.data()), bytes_.size(), MADV_DONTNEED);
}

}  // namespace outrider::model

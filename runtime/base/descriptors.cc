#include "runtime/base/descriptors.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "runtime/base/error.h"
#include "runtime/base/interrupted.h"

namespace outrider {
namespace {

bool output_was_closed = false;

/// Removes the last `count` bytes of a regular file if it ends at the descriptor's offset.
void take_back(int descriptor, std::size_t count) {
  struct stat status = {};
  const off_t end = ::lseek(descriptor, 0, SEEK_CUR);
  if (count == 0 || end < 0 || ::fstat(descriptor, &status) != 0) return;
  if (!S_ISREG(status.st_mode) || status.st_size != end) return;
  const off_t begin = end - static_cast<off_t>(count);
  if (::ftruncate(descriptor, begin) == 0) ::lseek(descriptor, begin, SEEK_SET);
}

/// The descriptor of standard output or error if `path` is the same file; else -1.
int same_stream(const std::filesystem::path& path) {
  struct stat wanted = {}, standard = {};
  if (::stat(path.c_str(), &wanted) != 0) return -1;
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    if (::fstat(stream, &standard) == 0 && standard.st_dev == wanted.st_dev &&
        standard.st_ino == wanted.st_ino)
      return stream;
  }
  return -1;
}

/// Whether a canonical path is the folder of this process's descriptors.
bool is_folder_of_descriptors(const std::filesystem::path& folder) {
  constexpr std::array kNames = {"/proc/self/fd", "/proc/thread-self/fd", "/dev/fd"};
  return std::any_of(kNames.begin(), kNames.end(), [&](const char* name) {
    std::error_code error;
    return std::filesystem::canonical(name, error) == folder && !error;
  });
}

/// Whether a path leads to a descriptor of this process, whatever file is behind that.
/// @param device  the system's other name for it: "/dev/stdin"
bool leads_to_descriptor(const std::filesystem::path& path, const std::string& number,
                         const char* device) {
  constexpr int kMostLinks = 40;
  std::filesystem::path name = path;
  for (int links = 0; links < kMostLinks; ++links) {
    std::error_code error;
    const auto folder = std::filesystem::canonical(
        name.has_parent_path() ? name.parent_path() : std::filesystem::path("."), error);
    if (error) return false;
    if (name.filename() == number && is_folder_of_descriptors(folder)) return true;
    name = folder / name.filename();
    if (!std::filesystem::is_symlink(name, error)) return name == device;
    // Not canonical(): that would go on to the file behind the descriptor.
    const std::filesystem::path target = std::filesystem::read_symlink(name, error);
    if (error) return false;
    name = target.is_absolute() ? target : folder / target;
  }
  return false;
}

/// Whether to retry a write or read; waits for a descriptor that is not ready.
bool may_retry(int descriptor, short event) {
  if (errno == EINTR) return true;
  if (errno != EAGAIN) return false;
  struct pollfd ready = {descriptor, event, 0};
  return ::poll(&ready, 1, -1) >= 0 || errno == EINTR;
}

}  // namespace

void open_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    // Lower ones are open, so open() returns this one.
    ::open("/dev/null", O_RDWR);
    if (descriptor == STDOUT_FILENO) output_was_closed = true;
  }
}

bool standard_output_was_closed() { return output_was_closed; }

int write_whole(int descriptor, std::string_view bytes) {
  std::size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t count = ::write(descriptor, bytes.data() + written, bytes.size() - written);
    if (count >= 0) {
      written += static_cast<std::size_t>(count);
    } else if (!may_retry(descriptor, POLLOUT)) {
      const int error = errno;
      take_back(descriptor, written);
      return error;
    }
  }
  return 0;
}

int write_whole_at(int descriptor, std::uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count =
        ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
  return 0;
}

std::string read_whole(int descriptor, const std::string& name, std::size_t max_bytes) {
  std::string text;
  char buffer[1 << 14];
  for (;;) {
    const ssize_t count = ::read(descriptor, buffer, sizeof buffer);
    if (count == 0) return text;
    if (count < 0) {
      if (may_retry(descriptor, POLLIN)) continue;
      throw InputError(fmt::format("{}: {}", name, std::strerror(errno)));
    }
    text.append(buffer, static_cast<std::size_t>(count));
    if (text.size() > max_bytes)
      throw InputError(fmt::format("{}: expected at most {} bytes, found more", name, max_bytes));
  }
}

bool names_standard_input(const std::filesystem::path& path) {
  // "./-" is a file.
  return path == "-" || leads_to_descriptor(path, "0", "/dev/stdin");
}

bool names_standard_output(const std::filesystem::path& path) {
  return path == "-" || leads_to_descriptor(path, "1", "/dev/stdout");
}

std::string read_standard_input(std::size_t max_bytes) {
  return read_whole(STDIN_FILENO, "standard input", max_bytes);
}

bool is_standard_output(int descriptor) {
  struct stat one = {}, standard = {};
  return ::fstat(descriptor, &one) == 0 && ::fstat(STDOUT_FILENO, &standard) == 0 &&
         one.st_dev == standard.st_dev && one.st_ino == standard.st_ino;
}

bool is_standard_stream(const std::filesystem::path& path) { return same_stream(path) >= 0; }

int open_to_write_through(const std::filesystem::path& path) {
  const int stream = same_stream(path);
  if (stream >= 0) return ::fcntl(stream, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0 && errno == EINTR) throw Interrupted();  // a signal that the program catches
  return descriptor;
}

}  // namespace outrider

#include "runtime/base/file_lock.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "runtime/base/error.h"

namespace outrider {

FileLock::FileLock(const std::filesystem::path& path) {
  const auto fail = [&path] {
    throw InputError(fmt::format("{}: cannot lock: {}", path.string(), std::strerror(errno)));
  };
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail();
  struct flock whole = {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  while (::fcntl(descriptor_, F_OFD_SETLKW, &whole) != 0) {
    if (errno == EINTR) continue;
    const int error = errno;
    ::close(descriptor_);
    errno = error;
    fail();
  }
}

FileLock::~FileLock() { ::close(descriptor_); }

}  // namespace outrider

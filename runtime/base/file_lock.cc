#include "runtime/base/file_lock.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "runtime/base/error.h"

namespace outrider {

FileLock::FileLock(const std::filesystem::path& path) : path_(path) {
  for (;;) {
    open();
    if (const int error = lock(); error != 0) {
      if (has_no_locks(error)) {
        hold();
        return;
      }
      errno = error;
      fail();
    }
    if (is_still_there()) return;
    descriptor_.reset();
  }
}

void FileLock::open() {
  descriptor_.reset(::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  is_new_ = descriptor_.number() >= 0;
  if (!is_new_) descriptor_.reset(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (descriptor_.number() < 0) fail();
}

int FileLock::lock() const {
  struct flock whole = {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  while (::fcntl(descriptor_.number(), F_OFD_SETLKW, &whole) != 0)
    if (errno != EINTR) return errno;
  return 0;
}

void FileLock::hold() {
  constexpr auto kPause = std::chrono::milliseconds(100);
  constexpr int kMostPauses = 600;
  const std::filesystem::path held = path_.string() + ".held";
  for (int pauses = 0; !held_.take(held); ++pauses) {
    if (pauses == kMostPauses) throw InputError(HeldFile::holder(held));
    std::this_thread::sleep_for(kPause);
  }
}

bool FileLock::is_still_there() const {
  struct stat locked = {}, named = {};
  return ::fstat(descriptor_.number(), &locked) == 0 && ::stat(path_.c_str(), &named) == 0 &&
         locked.st_dev == named.st_dev && locked.st_ino == named.st_ino;
}

void FileLock::remove() const { ::unlink(path_.c_str()); }

void FileLock::fail() const {
  throw InputError(fmt::format("{}: cannot lock: {}", path_.string(), std::strerror(errno)));
}

}  // namespace outrider

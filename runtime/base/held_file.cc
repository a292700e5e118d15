#include "runtime/base/held_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <sstream>

#include "runtime/base/descriptors.h"
#include "runtime/base/error.h"

namespace outrider {
namespace {

namespace fs = std::filesystem;

std::string machine() {
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  return name;
}

std::string own_name() { return fmt::format("{} {}\n", ::getpid(), machine()); }

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Holder {
  long process = 0;
  std::string machine;
};

Holder read_holder(const std::string& text) {
  Holder holder;
  std::istringstream(text) >> holder.process >> holder.machine;
  return holder;
}

/// Whether a process of this machine wrote the text, and has ended since.
bool has_ended(const std::string& text) {
  const Holder holder = read_holder(text);
  return holder.process > 0 && holder.machine == machine() &&
         ::kill(static_cast<pid_t>(holder.process), 0) != 0 && errno == ESRCH;
}

/// Removes a file that an ended process left. It is renamed first, so that of two processes that do this at once
/// neither removes the file that the other has made since.
void remove_left(const fs::path& path, const std::string& left) {
  const fs::path aside = path.string() + fmt::format(".{}", ::getpid());
  if (::rename(path.c_str(), aside.c_str()) != 0) return;
  if (content(aside) != left && ::link(aside.c_str(), path.c_str()) != 0) return;
  ::unlink(aside.c_str());
}

}  // namespace

bool has_no_locks(int error) {
  return error == ENOLCK || error == ENOSYS || error == EOPNOTSUPP || error == EINVAL;
}

bool HeldFile::take(const fs::path& path) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) {
      const int error = write_whole(descriptor, own_name());
      ::close(descriptor);
      path_ = path;
      if (error == 0) return true;
      release();
      throw InputError(fmt::format("{}: cannot lock: {}", path.string(), std::strerror(error)));
    }
    if (errno != EEXIST)
      throw InputError(fmt::format("{}: cannot lock: {}", path.string(), std::strerror(errno)));
    const std::string there = content(path);
    if (!has_ended(there)) return false;
    remove_left(path, there);
  }
  return false;
}

void HeldFile::release() {
  if (path_.empty()) return;
  ::unlink(path_.c_str());
  path_.clear();
}

std::string HeldFile::holder(const fs::path& path) {
  const Holder holder = read_holder(content(path));
  // The file is empty while its holder is about to write its name, or was killed before it had.
  const std::string process = holder.machine.empty()
                                  ? "another process, which has not written its name,"
                                  : fmt::format("process {} on {}", holder.process, holder.machine);
  return fmt::format(
      "{}: {} has this lock; wait for it, or remove the file if there is no such process",
      path.string(), process);
}

}  // namespace outrider

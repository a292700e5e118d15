#include "runtime/base/output_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "runtime/base/descriptors.h"
#include "runtime/base/error.h"
#include "runtime/base/output.h"
#include "runtime/base/output_path.h"

namespace outrider {
namespace {

namespace fs = std::filesystem;

/// Whether a path is a regular file that can be replaced, or does not exist yet.
bool is_replaced(const std::string& path) {
  std::error_code none;
  const fs::file_status status = fs::status(path, none);
  if (!fs::exists(status)) return true;
  // Names under /proc/self/fd may lead to deleted files, or to standard output.
  return fs::is_regular_file(status) && !is_standard_stream(path) &&
         fs::equivalent(follow_links(path), path, none);
}

/// errno of creating or replacing a file, as far as it can be checked beforehand; 0: no error known.
int error_of_replacing(const fs::path& target) {
  std::error_code none;
  if (target.filename().empty() || fs::is_directory(target, none)) return EISDIR;
  const fs::path folder = target.has_parent_path() ? target.parent_path() : ".";
  if (::access(folder.c_str(), W_OK | X_OK) != 0) return errno;
  return ::access(target.c_str(), W_OK) != 0 && errno != ENOENT ? errno : 0;
}

}  // namespace

OutputFile::OutputFile(std::string flag, std::string path)
    : flag_(std::move(flag)), path_(std::move(path)) {
  check();
}

OutputFile::~OutputFile() {
  if (through_ >= 0) ::close(through_);
  if (spool_ >= 0) ::close(spool_);
}

void OutputFile::check() const {
  if (!is_wanted()) return;
  if (is_standard_output()) return;
  std::error_code none;
  const bool is_regular = is_replaced(path_) || fs::is_directory(path_, none);
  if (!is_regular) return;
  if (const int error = error_of_replacing(follow_links(path_))) fail(error);
  check_can_replace(path_, name());
}

void OutputFile::write_all(std::string_view bytes) {
  if (!is_wanted()) return;
  write(bytes);
  commit();
}

void OutputFile::write(std::string_view bytes) {
  open();
  if (file_) return file_->write(bytes);
  write_through(bytes);
}

void OutputFile::write_at(std::uint64_t offset, std::string_view bytes) {
  open();
  if (file_) return file_->write_at(offset, bytes);
  open_spool();
  if (const int error = write_whole_at(spool_, offset, bytes)) fail(error);
}

void OutputFile::commit() {
  if (file_) {
    file_->commit();
    file_.reset();
  }
  if (spool_ < 0) return;
  std::vector<char> piece(1 << 20);
  ::lseek(spool_, 0, SEEK_SET);
  for (;;) {
    const ssize_t count = ::read(spool_, piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(errno);
    if (count == 0) break;
    write_through({piece.data(), static_cast<std::size_t>(count)});
  }
}

void OutputFile::open() {
  if (file_ || through_ >= 0 || is_standard_output()) return;
  if (is_replaced(path_)) {
    file_.emplace(path_, name());
    return;
  }
  through_ = open_to_write_through(path_);
  if (through_ < 0) fail(errno);
}

void OutputFile::open_spool() {
  if (spool_ >= 0) return;
  std::string name = (fs::temp_directory_path() / "outrider_XXXXXX").string();
  spool_ = ::mkostemp(name.data(), O_CLOEXEC);
  if (spool_ < 0) fail(errno);
  ::unlink(name.c_str());
}

void OutputFile::write_through(std::string_view bytes) const {
  if (is_standard_output()) return write_output(bytes);
  const int error = write_whole(through_, bytes);
  if (error == 0) return;
  check_reader(error, through_);
  fail(error);
}

std::string OutputFile::name() const { return fmt::format("{} {}", flag_, path_); }

void OutputFile::fail(int error) const {
  throw InputError(fmt::format("{}: cannot write: {}", name(), std::strerror(error)));
}

}  // namespace outrider

#include "runtime/base/record_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "runtime/base/descriptors.h"
#include "runtime/base/error.h"
#include "runtime/base/output.h"

namespace outrider {

RecordFile::RecordFile(std::string flag, std::string path)
    : flag_(std::move(flag)), path_(std::move(path)) {
  if (path_.empty()) return;
  if (path_ == "-") return;
  std::error_code none;
  const auto status = std::filesystem::status(path_, none);
  const bool through = std::filesystem::exists(status) &&
                       (!std::filesystem::is_regular_file(status) || is_standard_stream(path_));
  descriptor_ = through ? open_to_write_through(path_)
                        : ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail(errno);
  keeps_contents_ = !through;
}

RecordFile::~RecordFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void RecordFile::write(const std::string& line) {
  if (path_ == "-") return write_output(line);
  if (descriptor_ < 0) return;
  if (keeps_contents_ && ::ftruncate(descriptor_, 0) != 0) fail(errno);
  keeps_contents_ = false;
  const int error = write_whole(descriptor_, line);
  if (error == 0) return;
  check_reader(error, descriptor_);
  fail(error);
}

void RecordFile::fail(int error) const {
  throw InputError(fmt::format("{} {}: cannot write: {}", flag_, path_, std::strerror(error)));
}

}  // namespace outrider

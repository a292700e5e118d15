#include "train/trainer/metrics_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <sstream>

#include "runtime/base/descriptors.h"
#include "runtime/base/error.h"
#include "runtime/base/json_text.h"
#include "runtime/base/text_file.h"

namespace outrider::train {
namespace {

constexpr std::size_t kMostMetrics = std::size_t{1} << 31;

}  // namespace

MetricsFile::MetricsFile(std::filesystem::path path, std::uint64_t bytes) : path_(std::move(path)) {
  if (path_.empty()) return;
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail(errno);
  read_lines(bytes);
  if (::ftruncate(descriptor_, static_cast<off_t>(bytes_)) != 0) fail(errno);
  if (::lseek(descriptor_, 0, SEEK_END) < 0) fail(errno);
}

MetricsFile::~MetricsFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void MetricsFile::read_lines(std::uint64_t bytes) {
  if (bytes == 0) return;
  std::istringstream text(read_text_file(path_, kMostMetrics).substr(0, bytes));
  for (std::string line; std::getline(text, line) && !text.eof();) {
    auto json = nlohmann::ordered_json::parse(line, nullptr, false);
    if (json.is_discarded())
      throw InputError(fmt::format(
          "{}: line {}: expected JSON; remove the file to go on without the metrics of before",
          path_.string(), lines_.size() + 1));
    lines_.push_back(std::move(json));
    bytes_ += line.size() + 1;
  }
}

void MetricsFile::append(const nlohmann::ordered_json& line) {
  lines_.push_back(line);
  if (descriptor_ < 0) return;
  const std::string text = json_text(line) + "\n";
  if (const int error = write_whole(descriptor_, text)) fail(error);
  bytes_ += text.size();
}

std::uint64_t MetricsFile::flush() {
  // Some file systems cannot flush, and have nothing to flush to.
  if (descriptor_ >= 0 && ::fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOSYS)
    fail(errno);
  return bytes_;
}

void MetricsFile::fail(int error) const {
  throw InputError(fmt::format("{}: cannot write: {}; checkpoints written before are kept",
                               path_.string(), std::strerror(error)));
}

}  // namespace outrider::train

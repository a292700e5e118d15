#include "runtime/cli/record_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "runtime/base/error.h"
#include "runtime/base/output.h"

namespace outrider {

void check_json_spares_inputs(const std::string& json,
                              std::span<const std::pair<std::string, std::string>> inputs) {
  for (const auto& [flag, path] : inputs) {
    std::error_code ignored;  // what is not there yet is no input
    if (json.empty() || path.empty()) continue;
    if (!std::filesystem::equivalent(json, path, ignored)) continue;
    throw InputError(fmt::format("--json {}: would replace the file of {}", json, flag));
  }
}

RecordFile::RecordFile(std::string path) : path_(std::move(path)) {
  if (path_.empty() || path_ == "-") return;
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail();
}

RecordFile::~RecordFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void RecordFile::write(const std::string& line) {
  if (path_ == "-") write_output(line);
  if (descriptor_ < 0) return;
  std::string_view left = line;
  while (!left.empty()) {
    const ssize_t count = ::write(descriptor_, left.data(), left.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail();
    left.remove_prefix(static_cast<std::size_t>(count));
  }
}

void RecordFile::fail() const {
  throw InputError(fmt::format("--json {}: cannot write: {}", path_, std::strerror(errno)));
}

nlohmann::ordered_json drafts_by_pass(const std::vector<decode::PassDraft>& passes) {
  auto all = nlohmann::ordered_json::array();
  for (const decode::PassDraft& pass : passes) all.push_back({pass.drafted, pass.accepted});
  return all;
}

}  // namespace outrider

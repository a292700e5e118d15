#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

namespace outrider::train {

/// What a run measured, one JSON object a line: after every step "step", and after a validation
/// "validation" too. A run that goes on from a checkpoint cuts off what came after it.
class MetricsFile {
 public:
  /// Opens the file, keeps its first `bytes` (or all, if it has fewer) and reads them.
  /// @param path  empty: nothing is written
  /// @throws InputError with the system's reason
  MetricsFile(std::filesystem::path path, std::uint64_t bytes);
  ~MetricsFile();
  MetricsFile(const MetricsFile&) = delete;
  MetricsFile& operator=(const MetricsFile&) = delete;

  void append(const nlohmann::ordered_json& line);
  /// Flushes to disk what a checkpoint is to count on. @return its bytes
  std::uint64_t flush();

  /// All lines, in order.
  const std::vector<nlohmann::ordered_json>& lines() const { return lines_; }

 private:
  void read_lines(std::uint64_t bytes);
  [[noreturn]] void fail(int error) const;

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::uint64_t bytes_ = 0;
  std::vector<nlohmann::ordered_json> lines_;
};

}  // namespace outrider::train

#pragma once

#include <filesystem>

namespace outrider {

/// The right to change what a lock file stands for; one process has it at a time. The system takes
/// it back when a process ends, however it ends. The (empty) file stays.
class FileLock {
 public:
  /// Waits until no other process has it.
  /// @throws InputError with the system's reason
  explicit FileLock(const std::filesystem::path& path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace outrider

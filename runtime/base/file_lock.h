#pragma once

#include <filesystem>

namespace outrider {

/// An exclusive lock on a lock file, held by one process at a time. The system releases it when the
/// process ends, however it ends. The (empty) file remains.
class FileLock {
 public:
  /// Waits until no other process holds it.
  /// @throws InputError with the system's reason
  explicit FileLock(const std::filesystem::path& path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace outrider

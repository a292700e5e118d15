#pragma once

#include <filesystem>

#include "runtime/base/held_file.h"
#include "runtime/base/owned_descriptor.h"

namespace outrider {

/// An exclusive lock on a lock file, held by one process at a time. The system releases it when the
/// process ends, however it ends. The (empty) file remains, unless it is removed by its holder. On a file system
/// without locks it is a `HeldFile` beside it.
class FileLock {
 public:
  /// Waits until no other process holds it; without locks of the file system for a minute.
  /// @throws InputError with the system's reason
  explicit FileLock(const std::filesystem::path& path);
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  /// Whether there was no such file before.
  bool is_new() const { return is_new_; }
  /// Removes the file; processes that wait for it then lock another of its name.
  void remove() const;

 private:
  std::filesystem::path path_;
  OwnedDescriptor descriptor_;
  bool is_new_ = false;
  HeldFile held_;

  void open();
  /// Waits for the system's lock. @return errno; 0: it is locked
  int lock() const;
  void hold();
  /// Whether the file was not removed while this process waited for it.
  bool is_still_there() const;
  [[noreturn]] void fail() const;
};

}  // namespace outrider

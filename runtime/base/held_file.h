#pragma once

#include <filesystem>
#include <string>

namespace outrider {

/// Whether the error of a lock means that the file system has no locks, as of NFS without its daemon.
bool has_no_locks(int error);

/// A lock where the file system has none: a file that exists while it is held, with its holder's machine and process in
/// it. A holder that was killed leaves it; on the same machine the next one takes it over.
class HeldFile {
 public:
  HeldFile() = default;  // holds nothing
  ~HeldFile() { release(); }
  HeldFile(const HeldFile&) = delete;
  HeldFile& operator=(const HeldFile&) = delete;

  /// Takes the lock unless another process has it. @return whether it was taken
  /// @throws InputError with the system's reason where the file cannot be written
  bool take(const std::filesystem::path& path);
  void release();

  /// Who has the lock of this path, and what to do about it, for messages.
  static std::string holder(const std::filesystem::path& path);

 private:
  std::filesystem::path path_;  // empty: holds nothing
};

}  // namespace outrider

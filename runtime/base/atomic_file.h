#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace outrider {

/// A file that appears whole or not at all: written beside its place, flushed to the disk, renamed.
/// Until `commit` an older file of the name stays as it is, and without `commit` it stays for good; the
/// new one has its owner and permissions. A symbolic link stays, and what it leads to is written.
/// Every error is an InputError with the file's name and the system's reason.
class AtomicFile {
 public:
  /// Opens `path`.part-<process id> for writing. @param name  for messages; empty: the path
  /// @throws InputError also when there is something that is no regular file
  explicit AtomicFile(const std::filesystem::path& path, std::string name = "");
  /// Removes what was written unless `commit` was called.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  /// At an offset, wherever `write` has come to.
  void write_at(std::uint64_t offset, std::string_view bytes);
  void commit();

 private:
  [[noreturn]] void fail(const char* action) const;
  void close();
  void take_over_owner() const;

  std::string name_;
  std::filesystem::path path_;
  std::filesystem::path part_;
  int descriptor_ = -1;
};

/// Sees to it that the names in a folder are on the disk, where the file system can.
void sync_folder(const std::filesystem::path& folder);

/// The whole of a file at once.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

}  // namespace outrider

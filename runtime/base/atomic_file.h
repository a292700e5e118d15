#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace outrider {

/// A file that is replaced atomically: written to a temporary file in the same folder, flushed to disk,
/// renamed by `commit`. Without `commit` an existing file of that name is not changed; the new one gets
/// its owner and permissions. For a symbolic link, its target is replaced.
/// Every error is an InputError with the file's name and the system's reason.
class AtomicFile {
 public:
  /// Opens `path`.part-<process id> for writing, in the same folder. @param name  for messages; empty: the path
  /// @throws InputError also if `path` exists and is not a regular file, or is a mount point, over which
  ///         nothing can be renamed
  explicit AtomicFile(const std::filesystem::path& path, std::string name = "");
  /// Removes the temporary file unless `commit` was called.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  /// Writes at an offset, independent of `write`'s position.
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

/// Checks before long work that an AtomicFile of this path can be begun and would replace what is there;
/// leaves nothing behind. No AtomicFile of this path may be open in this process.
/// @throws InputError as AtomicFile's constructor
void check_can_replace(const std::filesystem::path& path, std::string name = "");

/// Flushes the names in a folder to disk, where the file system supports it.
void sync_folder(const std::filesystem::path& folder);

/// Writes a whole file.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

}  // namespace outrider

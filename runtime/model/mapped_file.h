#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>

#include "runtime/base/watched_memory.h"

namespace outrider::model {

/// A whole file, mapped read-only; unmapped when destroyed. The file must stay as it is meanwhile.
class MappedFile {
 public:
  /// @throws InputError if the file does not exist, is not regular, not readable, or empty
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::span<const std::byte> bytes() const { return bytes_; }
  std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
  }

  /// @throws InputError if the file was written to since it was mapped: what is read of it may be of two files
  void check_unchanged() const;

  /// Lets the operating system reclaim the pages that have been read; they are read again from the
  /// file on the next access.
  void release_pages() const;

 private:
  void map();

  std::filesystem::path path_;
  int descriptor_;
  std::int64_t written_ = 0;  // when the file was last written to, in nanoseconds
  std::span<const std::byte> bytes_;
  std::optional<WatchedMemory> watched_;
};

}  // namespace outrider::model

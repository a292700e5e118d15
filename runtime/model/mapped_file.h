#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace outrider::model {

/// A whole file, mapped read-only; unmapped when destroyed.
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

  /// Lets the operating system reclaim the pages that have been read; they are read again from the
  /// file on the next access.
  void release_pages() const;

 private:
  std::filesystem::path path_;
  std::span<const std::byte> bytes_;
};

}  // namespace outrider::model

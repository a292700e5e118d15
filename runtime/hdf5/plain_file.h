#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "runtime/hdf5/dataset_info.h"
#include "runtime/hdf5/library.h"

namespace outrider::hdf5 {

/// An open file of which only what Writer writes can be reached: datasets behind hard links, contiguous or in
/// chunks of bounded size, with no filters but shuffle and deflate, and no data elsewhere. All errors are
/// InputErrors naming file and dataset.
class PlainFile {
 public:
  explicit PlainFile(const std::filesystem::path& path);
  /// Opens bytes in memory, which are copied.
  PlainFile(std::span<const std::byte> bytes, std::string name);

  const std::string& name() const { return name_; }
  hid_t id() const { return file_.get(); }
  std::uint64_t bytes() const { return bytes_; }  // of the file

  /// Hard links only: an external link could name any file of the user's.
  bool has(const std::string& path) const;
  /// Opens a dataset.
  Handle open(const std::string& path) const;
  DatasetInfo info(const std::string& path, const Handle& set) const;

  [[noreturn]] void refuse(const std::string& path, const std::string& what) const;

 private:
  void open_file(const std::string& file_name, const Handle& access);
  /// Refuses data in other files and oversized chunks.
  void check_layout(const std::string& path, hid_t layout) const;
  void check_filters(const std::string& path, hid_t layout) const;
  Dims dims_of(const std::string& path, const Handle& set) const;

  std::string name_;
  Handle file_;
  std::uint64_t bytes_ = 0;
};

}  // namespace outrider::hdf5

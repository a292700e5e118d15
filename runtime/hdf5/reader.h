#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/hdf5/dataset_info.h"

namespace outrider::hdf5 {

class PlainFile;

/// Reads files of the kind that Writer writes and refuses everything else. All errors are InputErrors
/// naming file and dataset, what was expected and what was found.
class Reader {
 public:
  /// Opens a file, after comparing it with its checksum if it has one (runtime/hdf5/checksum.h); datasets are
  /// read on request.
  explicit Reader(const std::filesystem::path& path);
  /// Opens bytes in memory, which are copied. @param name  of the file, for messages
  Reader(std::span<const std::byte> bytes, std::string name);
  ~Reader();
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;

  /// The file's path, for messages.
  const std::string& name() const;
  /// Names in a group, in alphabetical order.
  std::vector<std::string> names(const std::string& group) const;
  bool has(const std::string& path) const;
  bool is_group(const std::string& path) const;
  DatasetInfo info(const std::string& path) const;

  static constexpr std::uint64_t kAny = ~std::uint64_t{0};
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 31;  // of one read

  /// The whole dataset, row-major.
  /// @param dims  the expected shape; kAny matches any length
  template <typename T>
  std::vector<T> read(const std::string& path, const Dims& dims) const {
    const Dims found = checked_dims(path, kNumberType<T>, dims);
    std::vector<T> values(checked_count(path, found, sizeof(T)));
    read_rows_into(path, 0, found.empty() ? 1 : found[0],
                   std::as_writable_bytes(std::span(values)));
    return values;
  }
  /// A single number.
  template <typename T>
  T read_number(const std::string& path) const {
    return read<T>(path, {}).front();
  }
  /// Rows [first, first + count) along the outermost dimension.
  template <typename T>
  std::vector<T> read_rows(const std::string& path, const Dims& dims, std::uint64_t first,
                           std::uint64_t count) const {
    Dims found = checked_dims(path, kNumberType<T>, dims);
    check_rows(path, found, first, count);
    found[0] = count;
    std::vector<T> values(checked_count(path, found, sizeof(T)));
    read_rows_into(path, first, count, std::as_writable_bytes(std::span(values)));
    return values;
  }
  /// The raw bytes of a dataset of numbers.
  std::vector<std::byte> read_bytes(const std::string& path) const;
  std::string read_text(const std::string& path, std::size_t max_bytes) const;

  /// Throws an InputError about a dataset of this file.
  [[noreturn]] void refuse(const std::string& path, const std::string& what) const;

 private:
  Dims checked_dims(const std::string& path, NumberType type, const Dims& expected) const;
  std::size_t checked_count(const std::string& path, const Dims& dims, std::size_t size) const;
  void check_rows(const std::string& path, const Dims& dims, std::uint64_t first,
                  std::uint64_t count) const;
  void read_rows_into(const std::string& path, std::uint64_t first, std::uint64_t count,
                      std::span<std::byte> bytes) const;

  std::unique_ptr<PlainFile> file_;
};

}  // namespace outrider::hdf5

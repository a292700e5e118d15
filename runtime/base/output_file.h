#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/atomic_file.h"

namespace outrider {

/// An output file named by a flag, for a result that is only useful when complete. A regular file is
/// replaced atomically (AtomicFile), a device or a pipe is written through, "-" is standard output.
/// Nothing is changed before the first write. Every error is an InputError that names the flag, or
/// standard output, but for its closed reader, which is a ClosedPipe.
class OutputFile {
 public:
  /// @param flag  "--json", for messages
  /// @param path  empty: all calls do nothing
  /// @throws InputError if the file cannot be written, as far as making a temporary file beside it tells
  OutputFile(std::string flag, std::string path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  bool is_wanted() const { return !path_.empty(); }
  bool is_standard_output() const { return path_ == "-"; }

  /// Writes the whole content.
  void write_all(std::string_view bytes);
  /// Writes in pieces, up to `commit`: either in order or at offsets (for a device or a pipe, pieces at
  /// offsets are collected in a temporary file until `commit`).
  void write(std::string_view bytes);
  void write_at(std::uint64_t offset, std::string_view bytes);
  void commit();

 private:
  void check() const;
  void open();
  void open_spool();
  void write_through(std::string_view bytes) const;
  std::string name() const;  // for messages
  [[noreturn]] void fail(int error) const;

  std::string flag_;
  std::string path_;
  std::optional<AtomicFile> file_;
  int through_ = -1;  // a device or a pipe
  int spool_ = -1;    // temporary file for writes at offsets
};

}  // namespace outrider

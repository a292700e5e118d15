#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/atomic_file.h"

namespace outrider {

/// What a command writes where its user says: a result that is only of use whole. A regular file appears
/// whole or not at all (AtomicFile), a device or a pipe is written through, "-" is standard output.
/// Nothing is touched before the first write. Every error is an InputError that names the flag.
class OutputFile {
 public:
  /// @param flag  "--json", for messages
  /// @param path  empty: nothing is wanted, and nothing done
  /// @throws InputError when the file could not be written, or is read by this command (`claim_output`)
  OutputFile(std::string flag, std::string path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  bool is_wanted() const { return !path_.empty(); }
  bool is_standard_output() const { return path_ == "-"; }

  /// Looks again whether it may be written, once more inputs were opened.
  void check() const;
  /// All of it.
  void write_all(std::string_view bytes);
  /// Piece by piece: either in order or by offsets (which keeps what goes through a pipe in a temporary
  /// file until then), up to `commit`.
  void write(std::string_view bytes);
  void write_at(std::uint64_t offset, std::string_view bytes);
  void commit();

 private:
  void open();
  void open_spool();
  void write_through(std::string_view bytes) const;
  [[noreturn]] void fail(int error) const;

  std::string flag_;
  std::string path_;
  std::optional<AtomicFile> file_;
  int through_ = -1;  // a device or a pipe
  int spool_ = -1;    // what is to go there
};

}  // namespace outrider

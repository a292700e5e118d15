#pragma once

#include <string>

namespace outrider {

/// An output file of lines, each written before the next is computed, so that a killed run leaves its
/// finished lines. A regular file never has a partial line; a device or a pipe is written through, "-"
/// is standard output.
class RecordFile {
 public:
  /// Opens the file, which keeps its contents until the first line is written.
  /// @param flag  "--json", for messages
  /// @param path  empty: nothing is written
  /// @throws InputError with the system's reason
  RecordFile(std::string flag, std::string path);
  ~RecordFile();
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;

  /// @param line  including the line break
  void write(const std::string& line);

 private:
  [[noreturn]] void fail(int error) const;

  std::string flag_;
  std::string path_;
  int descriptor_ = -1;
  bool keeps_contents_ = false;
};

}  // namespace outrider

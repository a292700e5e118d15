#pragma once

#include <string>

namespace outrider {

/// Where a command writes lines as it makes them, each in the file before the next is begun, so that
/// a run that is killed leaves the lines it has finished. A line is in a regular file whole or not at
/// all; a device or a pipe is written through, "-" is standard output.
class RecordFile {
 public:
  /// Empties the file.
  /// @param flag  "--json", for messages
  /// @param path  empty: nowhere
  /// @throws InputError with the system's reason; when the command reads it (`claim_output`)
  RecordFile(std::string flag, std::string path);
  ~RecordFile();
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;

  /// @param line  with its line end
  void write(const std::string& line);

 private:
  [[noreturn]] void fail(int error) const;

  std::string flag_;
  std::string path_;
  int descriptor_ = -1;
};

}  // namespace outrider

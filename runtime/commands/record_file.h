#pragma once

#include <string>

namespace outrider {

/// Where `--json` writes: lines, each in the file before the next text is begun, so that a run that
/// is killed leaves the lines it has finished.
class RecordFile {
 public:
  /// Empties the file. @param path  "-": standard output; "": nowhere
  /// @throws InputError with the system's reason
  explicit RecordFile(std::string path);
  ~RecordFile();
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;

  void write(const std::string& line);

 private:
  [[noreturn]] void fail() const;

  std::string path_;
  int descriptor_ = -1;
};

}  // namespace outrider

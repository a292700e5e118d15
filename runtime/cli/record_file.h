#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/decode/decode_loop.h"

namespace outrider {

/// `--json` empties its file, so it must not be one that is read.
/// @param inputs  flags and the paths given with them, empty where there is none
/// @throws InputError naming the flag
void check_json_spares_inputs(const std::string& json,
                              std::span<const std::pair<std::string, std::string>> inputs);

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

/// "drafts" of a record: [drafted, accepted] of each pass.
nlohmann::ordered_json drafts_by_pass(const std::vector<decode::PassDraft>& passes);

}  // namespace outrider

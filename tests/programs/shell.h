#pragma once

#include <string>

#include "tests/support/temporary_folder.h"

namespace outrider::test {

struct Outcome {
  int status;  // as a shell gives it: 128 + n after signal n
  std::string out;
  std::string err;
};

/// A folder with a tiny model, and a shell in it, in which a user's commands are tried. There
/// `$runtime`, `$data`, `$calibrate` and `$train` (empty where it is not built) are the programs, `$tiny` the tiny model, `$endless` the same with a context that takes
/// minutes to fill, `$real` the default model, `$source` the repository, and `wait_for FILE TEXT TIMES` waits for a text.
class Shell {
 public:
  Shell();

  /// Whether there is a `$train`.
  static bool has_train();

  /// Runs a command with bash; standard input is empty unless the command says otherwise.
  Outcome run(const std::string& command) const;

  const std::filesystem::path& path() const { return folder_.path(); }
  void write(const std::string& name, const std::string& bytes) const;
  std::string read(const std::string& name) const;
  /// Writes a program that is one of ours with other arguments.
  /// @param program  "runtime", "data" or "calibrate"
  /// @param change   bash that sets the arguments
  void write_wrapper(const std::string& name, const std::string& program,
                     const std::string& change) const;

 private:
  TemporaryFolder folder_;
};

}  // namespace outrider::test

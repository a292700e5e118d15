#pragma once

#include <string>
#include <vector>

namespace outrider::test {

using Words = std::vector<std::string>;

/// A way to run a command, in little time.
struct Use {
  std::string words;  // after the command's name
  Words reads;        // the files of the test's folder that it reads, of a model or a store some
  bool writes_otherwise = false;  // the output is another than that of the command's first use
};

/// What the help of a command must list, and where it may write.
struct CommandFiles {
  std::string program, command;
  Words inputs;                // options and positionals that name what is read
  Words outputs;               // options that name a file it writes
  Words kept;                  // options that name what it continues or changes in part
  std::vector<Use> uses;       // of the outputs
  std::vector<Use> runs = {};  // that name no output; in them --metrics, where the command has it
};

/// Every command of every program. A new command, or a new option that names a file, needs a line here.
const std::vector<CommandFiles>& commands();

}  // namespace outrider::test

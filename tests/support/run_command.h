#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdio>
#include <string>
#include <vector>

#include "runtime/cli/command_line.h"
#include "tests/support/temporary_folder.h"

namespace outrider::test {

struct Outcome {
  int code;
  std::string out;
  std::string err;
};

/// A cache folder of this process, so that nothing is read from the user's or written there.
inline void use_own_cache() {
  static const TemporaryFolder folder;
  ::setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
}

/// Runs a command of one of the programs in this process.
/// @param words  the command's name and its arguments
inline Outcome run_command(cli::AddCommand add, std::vector<std::string> words) {
  use_own_cache();
  words.insert(words.begin(), "program");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int code = cli::run_tool("program", "", {add}, static_cast<int>(argv.size()), argv.data());
  std::fflush(stdout);
  return {code, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

}  // namespace outrider::test

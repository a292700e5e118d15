#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "runtime/cli/command_line.h"

namespace outrider::test {

struct Outcome {
  int code;
  std::string out;
  std::string err;
};

/// Runs a command of one of the programs in this process.
/// @param words  the command's name and its arguments
inline Outcome run_command(cli::AddCommand add, std::vector<std::string> words) {
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

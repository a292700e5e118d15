#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tests/programs/shell.h"

namespace outrider::test {

inline constexpr const char* kTracePrompts =
    "{\"id\": \"a\", \"task\": \"t\", \"turns\": [\"one\", \"two\"], \"reference\": \"yes\"}\n"
    "{\"turns\": [\"three\"]}\n"
    "{\"id\": \"c\", \"turns\": [\"four five six\", \"seven\", \"eight\"]}\n"
    "{\"id\": \"d\", \"turns\": [\"nine\"], \"reference\": \"ten\"}\n";

/// A shell with a file of prompts.
class Traces : public testing::Test {
 protected:
  Traces() { shell_.write("p.jsonl", kTracePrompts); }

  Outcome traces(const std::string& arguments) const {
    return shell_.run("\"$data\" traces -m $tiny --prompts p.jsonl " + arguments);
  }
  void make(const std::string& arguments) const {
    const Outcome outcome = traces(arguments);
    ASSERT_EQ(outcome.status, 0) << arguments << "\n" << outcome.err;
  }
  /// Everything that a store holds, as text.
  std::string exported(const std::string& folder) const {
    const Outcome outcome = shell_.run("\"$data\" export " + folder +
                                       " --to jsonl --scores --out x.jsonl && cat x.jsonl");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.out;
  }

  Shell shell_;
};

}  // namespace outrider::test

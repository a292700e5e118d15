// A file system without locks.

#include <gtest/gtest.h>

#include <string>

#include "tests/programs/shell.h"

namespace outrider::test {
namespace {

/// A command with locks that fail.
std::string without_locks(const std::string& command) {
  return "LD_PRELOAD=" OUTRIDER_NO_LOCKS " " + command;
}

class NoLocks : public testing::Test {
 protected:
  void SetUp() override {
    if (OUTRIDER_SANITIZED) GTEST_SKIP() << "a sanitizer has to be the first library";
    shell_.write("p.jsonl", "{\"turns\": [\"one\"]}\n{\"turns\": [\"two\"]}\n");
  }
  Outcome traces() const {
    return shell_.run(without_locks("\"$data\" traces -m $tiny --prompts p.jsonl -n 5 -o store"));
  }

  Shell shell_;
};

TEST_F(NoLocks, TracesAreWrittenAndRead) {
  Outcome outcome = traces();
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  outcome = shell_.run(without_locks("\"$data\" verify store") + " && ls store");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out.find(".held"), std::string::npos) << outcome.out;
}

TEST_F(NoLocks, TwoProcessesStillDoNotWriteTheSameShard) {
  const std::string held = "mkdir store && echo \"$$ $(hostname)\" > store/lock.0.held && ";
  const Outcome outcome =
      shell_.run(held + without_locks("\"$data\" traces -m $tiny --prompts p.jsonl -n 5 -o store"));
  EXPECT_EQ(outcome.status, 2) << outcome.err;
  EXPECT_NE(outcome.err.find("store/lock.0.held: process "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("remove the file"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace outrider::test

// What .ci/run and scripts/test call, with programs in their place that only note their names.

#include <gtest/gtest.h>

#include <string>

#include "tests/programs/shell.h"

namespace outrider::test {
namespace {

/// Runs a script of the repository in a folder where each of `stages`, and ctest, notes how it was called; the one
/// whose call begins with `broken` fails.
/// @return the calls
std::string calls_of(const Shell& shell, const std::string& script, const std::string& stages,
                     const std::string& broken = "none") {
  shell.write("stage",
              "#!/bin/bash\ncall=\"$(basename \"$0\") $*\"\necho \"$call\" >> \"$CALLS\"\n"
              "[[ $call != \"$BROKEN\"* ]]\n");
  const Outcome outcome = shell.run(
      "rm -rf tree; mkdir -p tree/scripts tree/.ci; "
      "for name in " +
      stages +
      "; do cp stage tree/scripts/$name; done; cp stage tree/ctest; "
      "chmod +x tree/scripts/* tree/ctest; cp \"$source/" +
      script + "\" tree/" + script +
      "; export CALLS=$PWD/tree/calls PATH=$PWD/tree:$PATH BROKEN='" + broken + "'; tree/" +
      script);
  EXPECT_EQ(outcome.status, broken == "none" ? 0 : 1) << outcome.err << outcome.out;
  return shell.read("tree/calls");
}

TEST(CiRun, ChecksFormatTestsClangTidyAndMutants) {
  const Shell shell;
  const std::string stages = "format test tidy mutants";
  EXPECT_EQ(
      calls_of(shell, ".ci/run", stages),
      "format --check\ntest \ntidy --seconds 60\nmutants --changed --minutes 1 --preset dev\n");
  EXPECT_EQ(calls_of(shell, ".ci/run", stages, "test"), "format --check\ntest \n");
  EXPECT_EQ(calls_of(shell, ".ci/run", stages, "tidy"),
            "format --check\ntest \ntidy --seconds 60\n");
  calls_of(shell, ".ci/run", stages, "mutants");
}

TEST(ScriptsTest, RunsTheTestsOfEveryBuildAndTheFuzzTargets) {
  const Shell shell;
  const std::string stages = "setup build clients fuzz check_sass";
  const std::string jobs = shell.run("echo -n $(nproc)").out;
  const std::string release =
      "setup \nsetup cuda\nbuild release -DOUTRIDER_TESTS_ONCE=ON -DOUTRIDER_CUDA=ON\n"
      "ctest --preset release --parallel " +
      jobs + "\n";
  const std::string sanitized =
      "build dev -DOUTRIDER_TESTS_ONCE=ON\nctest --preset dev --parallel " + jobs +
      " --label-exclude slow\n";
  EXPECT_EQ(calls_of(shell, "scripts/test", stages),
            release +
                "check_sass build/release/runtime/engine/cuda/liboutrider_cuda_nvidia.a\n"
                "clients curl openai\n" +
                sanitized + "build races\nctest --preset races\nfuzz --seconds 3 --seed 1\n");
  EXPECT_EQ(calls_of(shell, "scripts/test", stages, "ctest --preset release"), release);
  for (const char* broken :
       {"clients", "ctest --preset dev", "ctest --preset races", "check_sass", "fuzz"})
    calls_of(shell, "scripts/test", stages, broken);
}

}  // namespace
}  // namespace outrider::test

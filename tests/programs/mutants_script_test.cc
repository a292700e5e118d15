// scripts/mutants --check on a small tree.

#include <gtest/gtest.h>

#include <string>

#include "tests/programs/shell.h"

namespace outrider::test {
namespace {

/// One mistake in one.cc, and its row in the table.
class MutantsScript : public testing::Test {
 protected:
  MutantsScript() {
    shell_.run(
        "mkdir -p tree/scripts tree/tests/base; "
        "cp \"$source\"/scripts/{mutants,changes.py} tree/scripts");
    shell_.write("tree/tests/base/CMakeLists.txt", "outrider_tests(base LINKS outrider_base)\n");
    shell_.write("tree/one.cc", "return 1;\n");
    write_mutant("return 1;", "base:One.*");
    write_rows("| base/one_is_two | base:One.*: One.IsOne of 1 |\n");
  }

  void write_mutant(const std::string& find, const std::string& tests) const {
    shell_.write("tree/tests/base/mutants.toml", "[one_is_two]\nfile = \"one.cc\"\nfind = \"" +
                                                     find +
                                                     "\"\nreplace = \"return 2;\"\ntests = [\"" +
                                                     tests + "\"]\nwhy = \"one is two\"\n");
  }
  void write_rows(const std::string& rows) const {
    shell_.write("tree/tests/mutants.md", "| mistake | tests that fail |\n| --- | --- |\n" + rows);
  }
  void expect_found(const std::string& mistake) const {
    const Outcome outcome = shell_.run("tree/scripts/mutants --check");
    EXPECT_EQ(outcome.status, 1) << outcome.out << outcome.err;
    EXPECT_NE(outcome.out.find(mistake), std::string::npos) << outcome.out << outcome.err;
  }

  Shell shell_;
};

TEST_F(MutantsScript, AcceptsAMistakeThatCanBeMadeAndHasARow) {
  const Outcome outcome = shell_.run("tree/scripts/mutants --check");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_EQ(outcome.out, "1 mutants can be made, and are in tests/mutants.md\n");
}

TEST_F(MutantsScript, NamesAMistakeThatCannotBeMade) {
  write_mutant("return 3;", "base:One.*");
  expect_found("base/one_is_two: expected exactly once in one.cc, found 0 times: return 3;");
  write_mutant("r", "base:One.*");
  expect_found("found 2 times");
}

TEST_F(MutantsScript, NamesTestsThatDoNotExist) {
  write_mutant("return 1;", "other:One.*");
  expect_found("base/one_is_two: there are no tests 'other:One.*'");
}

TEST_F(MutantsScript, NamesRowsThatAreMissingOrNoLongerTrue) {
  write_rows("");
  expect_found("base/one_is_two has no row: run scripts/mutants --record base/one_is_two");
  write_rows("| base/one_is_two | base: One.IsOne of 1 |\n");
  expect_found("base/one_is_two has other tests: run scripts/mutants --record base/one_is_two");
  write_rows(
      "| base/one_is_two | base:One.*: One.IsOne of 1 |\n| base/gone | base: One.IsOne of 1 |\n");
  expect_found("there is no mutant base/gone");
}

}  // namespace
}  // namespace outrider::test

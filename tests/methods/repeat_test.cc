#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "runtime/cli/method_flags.h"
#include "tests/methods/calibrated_target.h"
#include "tests/methods/with_repeat.h"
#include "tests/support/draft_of.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/run_command.h"
#include "tests/support/source_path.h"

namespace outrider::methods {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(test::source_path(path));
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Repeat, IsTheExampleOfThePage) {
  const std::string page = text_of("runtime/methods/README.md");
  const std::string file = text_of("tests/methods/repeat.cc");
  ASSERT_GT(file.size(), 0u);
  EXPECT_NE(page.find("```cpp\n" + file + "```\n"), std::string::npos)
      << "runtime/methods/README.md does not show tests/methods/repeat.cc as it is";
}

TEST(Repeat, DraftsTheLastTokensAgain) {
  test::CalibratedTarget target;
  const auto method = new_repeat();
  const auto drafter = method->prepare(target.for_methods()).new_drafter();
  const auto tree = test::draft_of(*drafter, std::vector<Token>{7, 8, 9}, 4);
  EXPECT_EQ(tree.num_drafted(), 4);
  for (int node = 1; node < tree.size(); ++node) EXPECT_EQ(tree.token(node), 9);
}

// All that a method of the list has, from its own file.
std::string seen_record;

cli::Command add_demo(CLI::App& program) {
  auto flags = std::make_shared<cli::MethodFlags>("pld", test::with_repeat());
  cli::CommandOptions command(program, "demo", "");
  flags->declare_method(command);
  flags->declare_settings(command);
  return {command, [flags, command] {
            test::CalibratedTarget target;
            const auto method = flags->chosen(command.given());
            flags->check_copies({"attribute"}, {"attribute"});
            const PreparedMethod prepared = method->prepare(target.for_methods());
            seen_record = prepared.record().dump();
            const std::string message = "abcabcabc";
            EXPECT_EQ(target.answer(prepared.new_drafter(), message),
                      target.answer(nullptr, message));
          }};
}

TEST(Repeat, HasItsFlagsRecordAndRefusals) {
  const test::Outcome done = test::run_command(
      add_demo, {"demo", "--method", "repeat", "--period", "3", "--draft-length", "6"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(
      seen_record,
      R"({"draft_length":6,"period":3,"sources":[],"copy_first":false,"copy_min_speed_up":1.5,)"
      R"("reference":[],"guard":"off"})");

  const std::string help = test::run_command(add_demo, {"demo", "--help-method", "repeat"}).out;
  EXPECT_EQ(help.find("--method repeat: the last tokens once more\n"), 0U) << help;
  EXPECT_NE(help.find("how many of the last tokens come again"), std::string::npos) << help;

  const auto refusal = [](std::vector<std::string> words) {
    words.insert(words.begin(), "demo");
    const test::Outcome refused = test::run_command(add_demo, std::move(words));
    EXPECT_EQ(refused.code, 2);
    return refused.err;
  };
  EXPECT_EQ(refusal({"--period", "3"}),
            "program: --period: not used by --method pld, only by repeat\n");
  EXPECT_NE(refusal({"--method", "repeat", "--period", "65"})
                .find("--period: expected a whole number from 1 to 64, found '65'"),
            std::string::npos);
  EXPECT_NE(refusal({"--method", "repeat", "--draft-length", "0"})
                .find("--draft-length: expected at least 1; 0 is for pld-plus-h and pld-plus-a"),
            std::string::npos);
}

}  // namespace
}  // namespace outrider::methods

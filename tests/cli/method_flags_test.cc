#include "runtime/cli/method_flags.h"

#include <gtest/gtest.h>

#include <regex>

#include "runtime/methods/settings.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/run_command.h"

namespace outrider::cli {
namespace {

nlohmann::ordered_json chosen_settings;

Command add_draft(CLI::App& program) {
  auto flags = std::make_shared<MethodFlags>("pld");
  CommandOptions command(program, "draft", "");
  flags->declare_method(command);
  flags->declare_settings(command);
  return {command, [flags, command] {
            chosen_settings = methods::settings_record(*flags->chosen(command.given()));
          }};
}

test::Outcome draft(std::vector<std::string> words) {
  words.insert(words.begin(), "draft");
  return test::run_command(add_draft, std::move(words));
}

TEST(MethodFlags, OfAnotherMethodAreRefusedOnTheCommandLineOnly) {
  MethodFlags flags("ar");
  test::expect_input_error([&] { (void)flags.chosen({"ngram"}); },
                           "--ngram: not used by --method ar, only by pld");
  EXPECT_NO_THROW((void)flags.chosen({"temperature"}));
  flags.method = "pld";
  EXPECT_NO_THROW((void)flags.chosen({"ngram", "draft-length"}));
}

TEST(MethodFlags, AreTheSettingsOfTheChosenMethod) {
  ASSERT_EQ(draft({"--ngram", "2"}).code, 0);
  EXPECT_EQ(chosen_settings.dump(),
            R"({"ngram":2,"draft_length":null,"published":false,"sources":[],"copy_first":false,)"
            R"("copy_min_speed_up":null,"reference":[],"guard":null})");
  ASSERT_EQ(draft({"--method", "pld-plus-h", "--draft-length", "7", "--threshold", "0.5"}).code, 0);
  EXPECT_EQ(chosen_settings["draft_length"], 7);
  EXPECT_EQ(chosen_settings["threshold"], 0.5);
  EXPECT_TRUE(chosen_settings["layer"].is_null());
  ASSERT_EQ(draft({"--method", "bigram", "--rows", "--artifacts", "a.h5"}).code, 0);
  EXPECT_EQ(chosen_settings["rows"], true);
  EXPECT_EQ(chosen_settings["artifacts"], "a.h5");
}

TEST(MethodFlags, SayWhoUsesThemWhereFewDo) {
  // In one line, however it is broken.
  const std::string help = std::regex_replace(draft({"--help-all"}).out, std::regex("\\s+"), " ");
  for (const char* line :
       {"pld: longest n-gram looked up", "context-ngram, ngrammys: tokens looked up",
        "Tokens of a draft at most; without this flag",
        "; pld: 4, with --published 10; context-ngram, bigram, ngrammys: 1 where nothing was",
        "pld-plus-h, pld-plus-a: sources to copy from"})
    EXPECT_NE(help.find(line), std::string::npos) << line;
  std::size_t last = 0;
  for (const char* flag :
       {"--ngram", "--draft-length", "--query", "--drafts", "--rows", "--layer", "--threshold",
        "--logit-weight", "--heads", "--aggregation", "--branches", "--artifacts"}) {
    EXPECT_GT(help.find(flag), last) << flag;
    last = help.find(flag);
  }
}

TEST(MethodFlags, ThatNeedACopyAreRefusedByOthers) {
  MethodFlags flags("bigram");
  test::expect_input_error([&] { flags.check_copies({"attribute"}, {"attribute"}); },
                           "--attribute: not used by --method bigram, only by auto, pld, "
                           "pld-plus-h, pld-plus-a");
  EXPECT_NO_THROW(flags.check_copies({"ngram"}, {"attribute"}));
  flags.method = "pld";
  EXPECT_NO_THROW(flags.check_copies({"attribute"}, {"attribute"}));
}

}  // namespace
}  // namespace outrider::cli

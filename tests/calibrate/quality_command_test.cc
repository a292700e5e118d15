#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "calibrate/commands/commands.h"
#include "tests/support/run_command.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_llama.h"

namespace outrider::calibrate {
namespace {

class QualityCommand : public testing::Test {
 protected:
  test::Outcome run(std::vector<std::string> words) {
    words.insert(words.begin(), {"quality", "--quiet", "-m", model_});
    return test::run_command(add_quality, std::move(words));
  }

  std::string file(const std::string& name, const std::string& content) {
    const auto path = folder_.path() / name;
    std::ofstream(path) << content;
    return path.string();
  }

  test::TemporaryFolder folder_;
  std::string model_ = test::write_tiny_llama(folder_.path(), "tiny.gguf", {.head_width = 32}, 5,
                                              model::WeightType::kQ4_1)
                           .string();
};

TEST_F(QualityCommand, ScoresAsManyTokensOfAnswersAsAskedFor) {
  const std::string prompts =
      file("p.jsonl",
           "{\"turns\": [\"one\"], \"reference\": \"ZZZ\"}\n"
           "{\"turns\": [\"two\", \"three\"], \"reference\": \"Left out\"}\n"
           "{\"turns\": [\"four\"]}\n"
           "{\"turns\": [\"five\"], \"reference\": \"YYYYY\"}\n");
  const std::string json = (folder_.path() / "q.json").string();
  // Every byte of these is a token, and so is the end of a turn.
  for (const auto& [asked, scored] : {std::pair{"1000", 10}, {"7", 7}}) {
    const test::Outcome outcome = run({"--prompts", prompts, "--tokens", asked, "--json", json});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("int8, against f32"), std::string::npos) << outcome.out;
    const auto figures = nlohmann::json::parse(std::ifstream(json));
    EXPECT_EQ(figures["interrupted"], false);
    EXPECT_EQ(figures["tokens"], scored);
    EXPECT_GT(figures["kl_mean"].get<double>(), 0);
    EXPECT_LT(figures["kl_mean"].get<double>(), 0.1);
    EXPECT_NEAR(figures["perplexity"].get<double>() / figures["perplexity_f32"].get<double>() - 1,
                figures["perplexity_change"].get<double>(), 1e-9);
  }
}

TEST_F(QualityCommand, FindsNoChangeInTheReferenceItself) {
  const std::string prompts =
      file("p.jsonl", "{\"turns\": [\"one\"], \"reference\": \"An answer.\"}\n");
  const test::Outcome outcome = run({"--prompts", prompts, "--numerics", "f32"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("+0.000 %"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("100.00 %"), std::string::npos) << outcome.out;
}

TEST_F(QualityCommand, RefusesPromptsWithoutAnswers) {
  const test::Outcome outcome = run({"--prompts", file("p.jsonl", "{\"turns\": [\"one\"]}\n")});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("found no record of one turn with a \"reference\""), std::string::npos)
      << outcome.err;
}

}  // namespace
}  // namespace outrider::calibrate

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "calibrate/answers/find_answers.h"
#include "calibrate/commands/commands.h"
#include "calibrate/pld_plus/copied_tokens.h"
#include "data/commands/commands.h"
#include "runtime/artifacts/artifact_file.h"
#include "runtime/artifacts/pld_plus_group.h"
#include "runtime/base/interrupted.h"
#include "tests/support/run_command.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_llama.h"

namespace outrider::calibrate {
namespace {

class FindAnswers : public testing::Test {
 protected:
  FindAnswers() {
    std::ofstream(path("p.jsonl")) << "{\"turns\": [\"abc abd abc\"], \"task\": \"a\"}\n"
                                      "{\"turns\": [\"ring a ring\", \"the cat\"]}\n";
    test::write_tiny_llama(folder_.path(), "tiny.gguf", {.head_width = 32}, 1,
                           model::WeightType::kQ8_0);
    source_.making.max_new = 12;
    source_.making.prompts = path("p.jsonl");
  }
  inference::TargetOptions target() const { return {.model = path("tiny.gguf")}; }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  test::TemporaryFolder folder_;
  AnswerSource source_;
  Watch unheard_;
};

/// Is told of what is ahead.
class Heard : public Watch {
 public:
  bool is_heard() const override { return true; }
};

// Three turns for every sample of both prompts.
constexpr std::size_t kOfARound = 3 * 8;

TEST_F(FindAnswers, MakesRoundsUntilThereAreEnoughAndGoesOnWhereItWasBrokenOff) {
  inference::Target target(this->target());
  std::vector<std::size_t> asked;
  const auto three = [&](const std::vector<Answer>& answers) {
    asked.push_back(answers.size());
    return answers.size() >= 3 * kOfARound;
  };
  const Answers whole =
      find_answers(target, source_, path("whole.h5"), "answers", unheard_, {}, three);
  EXPECT_EQ(asked, (std::vector<std::size_t>{kOfARound, 2 * kOfARound, 3 * kOfARound}));
  ASSERT_EQ(whole.all.size(), 3 * kOfARound);
  EXPECT_EQ(std::count_if(whole.all.begin(), whole.all.end(),
                          [](const Answer& answer) { return answer.temperature() == 0; }),
            3);

  int rounds = 0;
  const auto interrupt = [&](const std::vector<Answer>&) -> bool {
    if (++rounds == 2) throw Interrupted();
    return false;
  };
  EXPECT_THROW(find_answers(target, source_, path("tiny.h5"), "answers", unheard_, {}, interrupt),
               Interrupted);
  const auto size = [&](const char* name) { return std::filesystem::file_size(path(name)); };
  EXPECT_GT(size("tiny.h5.answers.part"), 0u);
  EXPECT_LT(size("tiny.h5.answers.part"), size("whole.h5.answers.part"));
  const Answers resumed =
      find_answers(target, source_, path("tiny.h5"), "answers", unheard_, {}, three);
  // Nothing was made twice.
  EXPECT_EQ(size("tiny.h5.answers.part"), size("whole.h5.answers.part"));
  EXPECT_EQ(resumed.identity, whole.identity);
  ASSERT_EQ(resumed.all.size(), whole.all.size());
  for (std::size_t i = 0; i < whole.all.size(); ++i) {
    EXPECT_EQ(resumed.all[i].id, whole.all[i].id);
    EXPECT_EQ(resumed.all[i].task, whole.all[i].task);
    EXPECT_EQ(resumed.all[i].tokens, whole.all[i].tokens);
    EXPECT_EQ(resumed.all[i].prompt, whole.all[i].prompt);
    EXPECT_EQ(resumed.all[i].in_loop, whole.all[i].in_loop);
    EXPECT_EQ(resumed.all[i].temperature(), whole.all[i].temperature());
  }
  // Of other answers nothing is taken over.
  source_.making.sampler.seed = 1;
  const Answers other = find_answers(target, source_, path("tiny.h5"), "answers", unheard_, {});
  EXPECT_NE(other.identity, whole.identity);
  EXPECT_EQ(other.all.size(), kOfARound);
}

TEST_F(FindAnswers, TellsWhatIsAheadBeforeAnyIsMade) {
  inference::Target target(this->target());
  Heard heard;
  WorkAhead first, later;
  const auto interrupt = [&](const WorkAhead& ahead) {
    first = ahead;
    throw Interrupted();
  };
  EXPECT_THROW(find_answers(target, source_, path("t.h5"), "a", heard, interrupt), Interrupted);
  EXPECT_EQ(first.to_make, 2 * 8);
  EXPECT_EQ(first.answers, static_cast<std::int64_t>(kOfARound));
  EXPECT_GT(first.tokens, first.answers * source_.making.max_new);
  EXPECT_FALSE(first.sample.tokens.empty());
  find_answers(target, source_, path("t.h5"), "a", heard, {});
  find_answers(target, source_, path("t.h5"), "a", heard,
               [&](const WorkAhead& ahead) { later = ahead; });
  EXPECT_EQ(later.to_make, 0) << "all are kept";
  EXPECT_EQ(later.answers, first.answers);
  EXPECT_NEAR(static_cast<double>(later.tokens) / static_cast<double>(first.tokens), 1, 0.25);
}

TEST_F(FindAnswers, EndsAfterSomeRoundsEvenIfThereAreNeverEnough) {
  source_.making.max_new = 2;
  inference::Target target(this->target());
  const auto never = [](const std::vector<Answer>&) { return false; };
  EXPECT_EQ(find_answers(target, source_, path("t.h5"), "a", unheard_, {}, never).all.size(),
            8 * kOfARound);
  // A number of samples is taken at its word.
  source_.making.samples = 2;
  EXPECT_EQ(find_answers(target, source_, path("t.h5"), "a", unheard_, {}, never).all.size(),
            2 * 3u);
}

TEST_F(FindAnswers, OfAStoreAreRecordedAsItWasMade) {
  const test::Outcome made = test::run_command(
      data::add_traces, {"traces", "-m", path("tiny.gguf"), "--prompts", path("p.jsonl"), "-o",
                         path("traces"), "-n", "30", "--turns", "all", "--samples", "2",
                         "--temperature", "0", "1", "--seed", "7", "--quiet"});
  ASSERT_EQ(made.code, 0) << made.err;
  const auto calibrate = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"layer",        "-m",          path("tiny.gguf"), "--data",
                                      path("traces"), "--artifacts", path("tiny.h5"),   "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    return test::run_command(add_layer, words);
  };
  for (const auto& [flag, value] :
       {std::pair{"--prompts", "p.jsonl"}, {"--samples", "2"}, {"-n", "30"}, {"--seed", "0"}}) {
    const test::Outcome refused = calibrate({flag, value});
    EXPECT_EQ(refused.code, 2) << flag;
    EXPECT_NE(refused.err.find("not with --data, whose answers exist already"), std::string::npos)
        << refused.err;
  }
  const test::Outcome done = calibrate({});
  ASSERT_EQ(done.code, 0) << done.err;
  const artifacts::ArtifactFile file(path("tiny.h5"));
  const auto how = artifacts::read_provenance(file.reader(), artifacts::kPldPlusLayer);
  EXPECT_EQ(how.seed, 7u);
  EXPECT_NE(how.options.find("\ndata = "), std::string::npos) << how.options;
  for (const char* flag : {"prompts", "samples", "max-new", "seed"})
    EXPECT_EQ(how.options.find(std::string("\n") + flag + " = "), std::string::npos) << flag;
  const auto found = artifacts::read_pld_plus_layer(file.reader(), artifacts::kPldPlusLayer);
  ASSERT_EQ(found.temperatures.size(), 2u);
  EXPECT_EQ(found.temperatures[1].temperature, 1);
}

TEST(CopiedTokens, AreThoseOfThePromptOutsideLoops) {
  const Answer answer = {"p", "t", {1, 2, 3, 1, 9, 2, 2, 2, 2, 3}, 3, {0, 0, 1, 1, 1, 1, 0}};
  EXPECT_EQ(copied_tokens(answer), 2);
}

}  // namespace
}  // namespace outrider::calibrate

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/programs/expect_refusal.h"
#include "tests/programs/shell.h"
#include "tests/support/tiny_llama.h"

namespace outrider::test {
namespace {

using Json = nlohmann::json;

const std::vector<std::string> kPolicies = {"static", "confidence --draft-threshold 0.01",
                                            "heuristic"};
const std::vector<std::string> kSamplings = {
    "", "--temperature 0.7 --top-p 0.7", "--temperature 1",
    "--temperature 1 --repetition-penalty 1.2 --presence-penalty 0.4 --frequency-penalty 0.3"};

class DraftModels : public testing::Test {
 protected:
  DraftModels() {
    TinyShape shape;
    shape.head_width = 32;
    shape.layers = 1;
    write_tiny_llama(shell_.path(), "lesser.gguf", shape, 7, model::WeightType::kQ8_0);
    shell_.write("p.jsonl",
                 "{\"id\": \"a\", \"turns\": [\"abc abc\", \"more\", \"abc\"]}\n"
                 "{\"id\": \"b\", \"turns\": [\"hello\"]}\n");
  }

  /// Sums over the records of what is decoded; every text is plain decoding's.
  struct Sums {
    int drafted = 0;
    int accepted = 0;
    int rounds = 0;
    int stopped = 0;
  };
  Sums check(const std::string& arguments) const {
    const Outcome outcome = shell_.run(
        "\"$runtime\" decode -m $tiny --prompts p.jsonl --turns all --json - --check "
        "--logit-bias 2=-100 --method ssd " +  // no text ends inside a draft
        arguments);
    EXPECT_EQ(outcome.status, 0) << arguments << "\n" << outcome.err;
    Sums sums;
    std::istringstream lines(outcome.out);
    for (std::string line; std::getline(lines, line);) {
      const Json record = Json::parse(line);
      const Json& counts = record["draft_counts"];
      sums.drafted += record["drafted"].get<int>();
      sums.accepted += record["accepted"].get<int>();
      sums.rounds += counts["rounds"].get<int>();
      sums.stopped +=
          counts["stopped_by_policy"].get<int>() + counts["stopped_by_length"].get<int>();
    }
    EXPECT_GT(sums.rounds, 0);
    EXPECT_LE(sums.stopped, sums.rounds);
    EXPECT_GE(sums.drafted, sums.rounds) << "every round drafts";
    return sums;
  }

  Shell shell_;
};

TEST_F(DraftModels, GiveThePlainTextWithEveryPolicyAndSampling) {
  int accepted = 0, rejected = 0;
  for (const std::string& policy : kPolicies) {
    for (const std::string& sampling : kSamplings) {
      const std::string flags = fmt::format("-n 40 --draft-stop {} {}", policy, sampling);
      const Sums own = check("--draft $tiny " + flags);
      EXPECT_EQ(own.accepted, own.drafted) << flags;
      const Sums lesser = check("--draft lesser.gguf " + flags);
      accepted += lesser.accepted;
      rejected += lesser.drafted - lesser.accepted;
    }
  }
  EXPECT_GT(accepted, 20);
  EXPECT_GT(rejected, 200);
}

TEST_F(DraftModels, VerifiedByRejectionGiveThePlainTextAtTemperatureZero) {
  const Sums sums = check("--draft lesser.gguf -n 40 --verify rejection");
  EXPECT_GT(sums.drafted, sums.accepted);
}

TEST_F(DraftModels, InTreesAreVerifiedByRejection) {
  const auto record_of = [&](const std::string& flags) {
    const Outcome outcome = shell_.run(
        "\"$runtime\" decode -m $tiny -p hello -n 40 --json - --logit-bias 2=-100 --method tsd "
        "--prune-probability 0 --verify rejection " +
        flags);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return Json::parse(outcome.out);
  };
  const Json plain = record_of("--draft lesser.gguf --check");
  EXPECT_GT(plain["drafted"].get<int>(), 100) << "the plain text at temperature 0";
  const std::string sampling = "--draft $tiny --temperature 1 --top-k 4";
  const Json sampled = record_of(sampling);
  EXPECT_EQ(sampled["settings"]["verify"], "rejection");
  EXPECT_GT(sampled["accepted"].get<int>(), 0);
  EXPECT_EQ(sampled["output_tokens"].size(), 40u);
  EXPECT_EQ(record_of(sampling)["output_tokens"], sampled["output_tokens"]) << "by the seed";
}

TEST_F(DraftModels, AreRecordedWithTheirTimeAndCounts) {
  const Outcome outcome = shell_.run(
      "\"$runtime\" decode -m $tiny -p hello -n 30 --json - --method ssd --draft lesser.gguf "
      "--draft-stop heuristic --verify rejection --temperature 1");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json record = Json::parse(outcome.out);
  EXPECT_EQ(record["settings"]["draft"], "lesser.gguf");
  EXPECT_EQ(record["settings"]["draft_stop"], "heuristic");
  EXPECT_EQ(record["settings"]["draft_length"], 16);
  EXPECT_EQ(record["settings"]["verify"], "rejection");
  EXPECT_GT(record["draft_seconds"]["ssd"], 0);
  EXPECT_GT(record["draft_seconds"]["ssd-prefill"], 0);
  EXPECT_EQ(record["draft_counts"]["prefilled_tokens"], record["prompt_tokens"].size() + 1);
  EXPECT_GT(record["draft_counts"]["passes"], 0);
}

TEST_F(DraftModels, WithOtherTokensAreRefused) {
  expect_refusal(shell_.run("\"$runtime\" decode -m $tiny -p hi --method ssd --draft "
                            "\"$source/tests/golden/hf/mistral_window\""),
                 "mistral_window: its tokens differ from those of the target tiny.gguf");
}

}  // namespace
}  // namespace outrider::test

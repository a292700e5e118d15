#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "tests/programs/shell.h"

namespace outrider::test {
namespace {

using Json = nlohmann::json;

/// The token ids of each text, with the name of its prompt.
std::set<std::string> texts_of(const std::string& lines) {
  std::set<std::string> texts;
  std::istringstream stream(lines);
  for (std::string line; std::getline(stream, line);) {
    const Json record = Json::parse(line);
    texts.insert(record["id"].dump() + record["prompt_tokens"].dump() +
                 record["output_tokens"].dump());
  }
  return texts;
}

class RealTraces : public testing::Test {
 protected:
  std::string out_of(const std::string& command) const {
    const Outcome outcome = shell_.run(command);
    EXPECT_EQ(outcome.status, 0) << command << "\n" << outcome.err;
    return outcome.out;
  }

  Shell shell_;
};

TEST_F(RealTraces, AreTokenForTokenWhatRuntimeDecodeGenerates) {
  for (const std::string sampling :
       {"", "--temperature 0.8 --top-p 0.95 --repetition-penalty 1.1"}) {
    const std::string flags =
        " -m \"$real\" --prompts \"$source/configs/prompts/demo.jsonl\" --limit 8 -n 48 " +
        sampling;
    const std::string plain = out_of("\"$runtime\" decode --method ar --json - --quiet" + flags);
    for (const char* batch : {"2", "7", "32"}) {
      const std::string made =
          out_of("rm -rf t; \"$data\" traces -o t --turns first --batch " + std::string(batch) +
                 flags + " && \"$data\" export t --to jsonl --out x --quiet && cat x");
      EXPECT_EQ(texts_of(made), texts_of(plain)) << batch << " at a time " << sampling;
    }
    EXPECT_EQ(texts_of(plain).size(), 8u);
  }
}

TEST_F(RealTraces, TakeAtMostWhatWasEstimated) {
  const std::string summary = out_of(
      "\"$data\" traces -m \"$real\" --prompts \"$source/configs/prompts/demo.jsonl\" --limit 16 "
      "-n 128 --logit-bias 2=-1000 -o t --json - --quiet");
  const auto estimated = Json::parse(summary)["estimated_bytes"].get<double>();
  const double stored = std::stod(out_of("cat t/* | wc -c"));
  EXPECT_LE(stored, estimated);
  EXPECT_GE(stored, 0.7 * estimated);
}

}  // namespace
}  // namespace outrider::test

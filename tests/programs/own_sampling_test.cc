// Where neither a flag nor a config file says how tokens are chosen, decode, serve, traces and replay choose them as the model's files say.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tests/programs/shell.h"

namespace outrider::test {
namespace {

using Json = nlohmann::json;

class OwnSampling : public testing::Test {
 protected:
  OwnSampling() {
    const Outcome copied = shell_.run(
        "cp -r \"$source/tests/golden/hf/llama_tied\" F && chmod -R u+w F && "
        "echo '{\"do_sample\": true, \"temperature\": 1.5, \"top_k\": 9, \"top_p\": 0.9, "
        "\"repetition_penalty\": 1.2, \"num_beams\": 2}' > F/generation_config.json");
    EXPECT_EQ(copied.status, 0) << copied.err;
  }

  Json decoded(const std::string& flags) {
    last_ = shell_.run(
        "\"$runtime\" decode -m F --chat raw -p 'hello hello' -n 20 --check --json - " + flags);
    EXPECT_EQ(last_.status, 0) << last_.err;
    return last_.status == 0 ? Json::parse(last_.out) : Json();
  }

  Shell shell_;
  Outcome last_;
};

TEST_F(OwnSampling, IsThatOfTheFlagsThatSayTheSame) {
  const Json own = decoded("");
  EXPECT_NE(last_.err.find("sampling as F/generation_config.json says: temperature 1.5, top-k 9, "
                           "top-p 0.9, repetition penalty 1.2"),
            std::string::npos)
      << last_.err;
  EXPECT_NE(last_.err.find("'num_beams' is not implemented"), std::string::npos) << last_.err;
  const Json flags =
      decoded("--temperature 1.5 --top-k 9 --top-p 0.9 --repetition-penalty 1.2 --seed 0");
  EXPECT_EQ(own["output_tokens"], flags["output_tokens"]);
  EXPECT_EQ(last_.err.find("sampling as"), std::string::npos) << last_.err;
  for (const char* setting : {"temperature", "top_k", "top_p", "repetition_penalty"})
    EXPECT_EQ(own["settings"][setting], flags["settings"][setting]) << setting;
}

TEST_F(OwnSampling, IsLeftOutWhereAFlagSaysHowToSample) {
  const Json greedy = decoded("--temperature 0");
  EXPECT_EQ(last_.err.find("sampling as"), std::string::npos) << last_.err;
  EXPECT_EQ(greedy["settings"]["temperature"], 0);
  EXPECT_EQ(greedy["settings"]["repetition_penalty"], 1);
  const Json wide = decoded("--top-p 0.99");
  EXPECT_EQ(wide["settings"]["temperature"], 0);
}

TEST_F(OwnSampling, IsLeftOutWhereAConfigFileSaysHowToSample) {
  shell_.write("c.toml", "[decode]\ntemperature = 0\n");
  const Json greedy = decoded("--config c.toml");
  EXPECT_EQ(last_.err.find("sampling as"), std::string::npos) << last_.err;
  EXPECT_EQ(greedy["settings"]["temperature"], 0);
  shell_.write("c.toml", "[decode]\nmin-span = 4\n");
  EXPECT_EQ(decoded("--config c.toml")["settings"]["temperature"], 1.5);
}

TEST_F(OwnSampling, IsThatOfAPrintedConfigToo) {
  const auto printed = [&](const std::string& flags) {
    EXPECT_EQ(shell_.run("\"$runtime\" decode -m F --print-config > c.toml " + flags).status, 0);
    return decoded("--config c.toml")["settings"];
  };
  EXPECT_EQ(printed("")["temperature"], 1.5);
  EXPECT_NE(shell_.read("c.toml").find("\n# temperature = 0\n"), std::string::npos);
  const Json wide = printed("--top-p 0.99");
  EXPECT_EQ(wide["temperature"], 0);
  EXPECT_EQ(wide["top_p"], 0.99);
  EXPECT_EQ(decoded("--config \"$source/configs/decode.toml\"")["settings"]["temperature"], 1.5);
}

TEST_F(OwnSampling, IsWhatTracesAndReplaysAreMadeWith) {
  shell_.write("p.jsonl", "{\"turns\": [\"hello hello\"]}\n");
  const Outcome traces = shell_.run(
      "\"$data\" traces -m F --chat raw --prompts p.jsonl -o traces -n 20 --seed 0 && "
      "\"$data\" export traces --to jsonl --quiet --out -");
  ASSERT_EQ(traces.status, 0) << traces.err;
  const Json trace = Json::parse(traces.out);
  EXPECT_EQ(trace["settings"]["temperature"], 1.5) << trace;
  const Json& options = trace["settings"]["options"];
  EXPECT_EQ(options["top-k"], "9");
  EXPECT_EQ(options["top-p"], "0.9");
  EXPECT_EQ(options["repetition-penalty"], "1.2");
  EXPECT_NE(traces.err.find("temperature 1.5, top-k 9"), std::string::npos) << traces.err;
  const Outcome replay = shell_.run(
      "\"$calibrate\" replay -m F --chat raw --prompts p.jsonl -n 20 --method pld --ngram 1");
  EXPECT_EQ(replay.status, 0) << replay.err;
  EXPECT_NE(replay.err.find("temperature 1.5, top-k 9"), std::string::npos) << replay.err;
}

TEST_F(OwnSampling, IsWhatAServerTakesForWhatARequestLeavesOut) {
  const Outcome outcome = shell_.run(
      "\"$runtime\" serve -m F --chat raw --port 0 2> log & pid=$!; wait_for log 'serve: F at' 1; "
      "url=$(sed -n 's/^serve: .* at \\([^,]*\\),.*/\\1/p' log); "
      "for more in '' ', \"temperature\": 1.5, \"top_k\": 9, \"top_p\": 0.9, "
      "\"repetition_penalty\": 1.2' ', \"temperature\": 1, \"top_k\": 0'; do "
      "curl -s $url/v1/completions -H 'Content-Type: application/json' "
      "-d '{\"prompt\": \"hello hello\", \"max_tokens\": 20, \"seed\": 5'\"$more\"'}' | "
      "jq -c '.choices[0].text'; done; kill $pid; wait $pid");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(shell_.read("log").find("temperature 1.5, top-k 9"), std::string::npos);
  std::istringstream lines(outcome.out);
  std::string own, said, other;
  std::getline(lines, own);
  std::getline(lines, said);
  std::getline(lines, other);
  EXPECT_GT(own.size(), 4u);
  EXPECT_EQ(own, said);
  EXPECT_NE(own, other);
}

}  // namespace
}  // namespace outrider::test

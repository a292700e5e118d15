#include "tests/programs/traces.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <tuple>

namespace outrider::test {
namespace {

using Json = nlohmann::json;

TEST_F(Traces, AreTheSameBitsWhenDecodedAgain) {
  for (const char* made :
       {"-n 12",
        ("-n 20 --temperature 0.8 --top-p 0.9 --repetition-penalty 1.1 --seed 5 "
         "--logit-bias 70=2.5 80=-1 --samples 2"),
        "-n 9 --store features --layers 0 1 final", "--teacher reference --skip-long",
        "-n 9 --kv f32", "-n 9 --numerics f32 --kv f16", "-n 9 --kv q8_0"}) {
    make(std::string(made) + " -o again");
    const Outcome outcome = shell_.run("\"$data\" verify again --recompute 5 -m $tiny -t 1");
    EXPECT_EQ(outcome.status, 0) << made << "\n" << outcome.err << outcome.out;
    EXPECT_NE(outcome.out.find("traces decoded again, all bits equal"), std::string::npos) << made;
    const Outcome one_row = shell_.run("\"$data\" verify again --recompute 2 --one-row -m $tiny");
    EXPECT_EQ(one_row.status, 0) << made << "\n" << one_row.err << one_row.out;
    EXPECT_NE(one_row.out.find("traces decoded again by passes of one row, all bits equal"),
              std::string::npos)
        << made;
    shell_.run("rm -r again");
  }
}

TEST_F(Traces, AreDecodedAgainByTheirOwnModelOnly) {
  make("-n 12 -o again");
  shell_.run("cp $tiny other.gguf && printf x >> other.gguf");
  const Outcome other = shell_.run("\"$data\" verify again --recompute 2 -m other.gguf");
  EXPECT_EQ(other.status, 2) << other.err;
  EXPECT_NE(other.err.find("other.gguf: its hash is"), std::string::npos) << other.err;
  const Outcome alone = shell_.run("\"$data\" verify again --recompute 2");
  EXPECT_EQ(alone.status, 2);
  EXPECT_NE(alone.err.find("--recompute and --model go together"), std::string::npos) << alone.err;
}

TEST_F(Traces, AreNotContinuedByArithmeticOfOtherBits) {
  make("-n 4 -o t");
  shell_.run("rm t/shard-00001.h5; sed -E 's/(\"logits_hash\": \")./\\1x/' t/manifest.json > m");
  const Outcome whole = traces("-n 4 -o t");
  EXPECT_EQ(whole.status, 0) << whole.err;
  EXPECT_EQ(whole.err.find("warning"), std::string::npos) << whole.err;
  shell_.run("cp m t/manifest.json");
  const Outcome other = traces("-n 4 -o t");
  EXPECT_EQ(other.status, 2) << other.err;
  EXPECT_NE(other.err.find("the arithmetic, by the hash of a fixed text's logits, was x"),
            std::string::npos)
      << other.err;
  EXPECT_EQ(shell_.run("\"$data\" verify t").status, 0);  // readable all the same
}

TEST_F(Traces, SayWhichBitsTheArithmeticHas) {
  const auto hash = [&](const std::string& flags) {
    make("-n 4 -o t " + flags);
    return shell_.run("grep logits_hash t/manifest.json; rm -r t").out;
  };
  const std::string usual = hash("");
  EXPECT_NE(usual, "");
  EXPECT_EQ(hash("-t 1 --isa scalar"), usual);
  EXPECT_NE(hash("--numerics f32"), usual);
}

using Name = std::tuple<std::string, int, int>;  // prompt, turn, sample
struct Texts {
  Json prompt;
  Json output;
  Json finish;
  bool operator==(const Texts& other) const {
    return prompt == other.prompt && output == other.output && finish == other.finish;
  }
};

std::map<Name, Texts> texts_in(const std::string& lines) {
  std::map<Name, Texts> texts;
  std::istringstream stream(lines);
  for (std::string line; std::getline(stream, line);) {
    const Json record = Json::parse(line);
    const Json& named = record.contains("turn") ? record : record["settings"];
    const Json& finish = record.contains("finish") ? record["finish"] : record["finish_reason"];
    texts[{record["id"], named["turn"], named["sample"]}] = {record["prompt_tokens"],
                                                             record["output_tokens"], finish};
  }
  return texts;
}

TEST_F(Traces, AreWhatRuntimeDecodeGenerates) {
  for (const std::string sampling :
       {"",
        "--temperature 0.8 --top-p 0.95 --repetition-penalty 1.1 --frequency-penalty 0.2 "
        "--seed 3",
        "--system '' -c 60"}) {
    const std::string flags = " --turns all --samples 2 -n 20 " + sampling;
    shell_.run("rm -rf t");
    make("-o t --batch 3" + flags);
    const auto made = texts_in(exported("t"));
    const Outcome decoded = shell_.run(
        "\"$runtime\" decode -m $tiny --prompts p.jsonl --method ar --quiet --json -" + flags);
    ASSERT_EQ(decoded.status, 0) << decoded.err;
    std::size_t compared = 0;
    for (const auto& [name, text] : texts_in(decoded.out)) {
      // A conversation whose context is full has an empty text there, and no trace here.
      if (text.output.empty()) continue;
      ASSERT_EQ(made.count(name), 1u) << std::get<0>(name);
      EXPECT_TRUE(made.at(name) == text) << std::get<0>(name) << " turn " << std::get<1>(name);
      ++compared;
    }
    EXPECT_EQ(compared, made.size());
    EXPECT_GE(compared, 8u);
  }
}

TEST_F(Traces, TemperaturesTakeTurnsOverTheSamples) {
  make("-o t -n 12 --turns first --samples 5 --temperature 0 0.9");
  const auto mixed = texts_in(exported("t"));
  for (const char* temperature : {"0", "0.9"}) {
    shell_.run("rm -rf u");
    make("-o u -n 12 --turns first --samples 5 --temperature " + std::string(temperature));
    for (const auto& [name, text] : texts_in(exported("u"))) {
      const bool is_its_turn = (std::get<2>(name) % 2 == 1) == (temperature[1] == '\0');
      if (!is_its_turn) continue;
      EXPECT_TRUE(mixed.at(name) == text);
    }
  }
  EXPECT_EQ(mixed.size(), 20u);
}

TEST_F(Traces, FewerLongConversationsAreUnderWayAndInAShard) {
  // They may become long, but the bias ends them at once.
  const auto summary = [&](const std::string& flags) {
    const Outcome outcome = shell_.run(
        "\"$data\" traces -m $endless --prompts p.jsonl --logit-bias 2=1000 --turns first --json "
        "- " +
        flags);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return Json::parse(outcome.out);
  };
  const Json few = summary("-o short -n 9 --samples 8");
  EXPECT_EQ(few["shards"], 2);  // of 16
  EXPECT_EQ(few["batch"], 32);
  const Json many = summary("-o long -n 5000 --samples 8");
  EXPECT_EQ(many["shards"], 32);  // of 1
  EXPECT_EQ(many["batch"], 3);
  EXPECT_GT(many["longest_shard_seconds"], 0.0);
  EXPECT_EQ(summary("-o other -n 5000 --samples 8 --batch 9")["batch"], 9);
}

TEST_F(Traces, ABudgetIsRefusedBeforeAnythingIsWritten) {
  const Outcome refused = traces("-o t -n 20 --budget 5kB");
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("--budget: the traces may take "), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("more than 5 kB; give --fit"), std::string::npos) << refused.err;
  EXPECT_NE(shell_.run("ls t").status, 0);
  make("-o t -n 20 --budget 1GiB");
}

TEST_F(Traces, TakeAtMostWhatIsEstimatedWhereEveryConversationIsAShard) {
  std::string prompts;
  for (int i = 0; i < 12; ++i) prompts += "{\"turns\": [\"one\"], \"reference\": \"yes\"}\n";
  shell_.write("short.jsonl", prompts);
  const Outcome outcome = shell_.run(
      "\"$data\" traces -m $endless --prompts short.jsonl --teacher reference -n 9000 --keep-top 0 "
      "--json - --quiet -o t");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json summary = Json::parse(outcome.out);
  EXPECT_EQ(summary["shards"], 12);
  EXPECT_LE(std::stod(shell_.run("cat t/* | wc -c").out), summary["estimated_bytes"].get<double>());
}

TEST_F(Traces, FitLeavesStatesOutFirstThenProbabilities) {
  const std::string flags = "-n 20 --store features --layers 1 2 --fit --json - --budget ";
  const auto fitted = [&](const std::string& folder, const std::string& budget) {
    return traces("-o " + folder + " " + flags + budget).err;
  };
  EXPECT_EQ(fitted("all", "10MB").find("--fit:"), std::string::npos);
  EXPECT_NE(fitted("one", "200kB").find("--fit: states of 1 instead of 2 layers;"),
            std::string::npos);
  const std::string none = fitted("none", "27kB");
  EXPECT_NE(none.find("--fit: states of 0 instead of 2 layers, top 8 instead of 32;"),
            std::string::npos)
      << none;
  const Outcome never = traces("-o never " + flags + "1kB");
  EXPECT_EQ(never.status, 2);
  EXPECT_NE(never.err.find("give a larger budget, or lower --limit"), std::string::npos)
      << never.err;
}

TEST_F(Traces, TheTeacherCanScoreGivenAnswers) {
  make("-o own -n 6 --turns first");
  const auto own = texts_in(exported("own"));
  make("-o t --teacher reference --json summary.json");
  const auto scored = texts_in(exported("t"));
  // Of "a" there is an answer to the last turn only, and so none to begin with.
  ASSERT_EQ(scored.size(), 1u);
  const Texts& text = scored.at({"d", 1, 1});
  EXPECT_EQ(text.prompt, own.at({"d", 1, 1}).prompt);
  EXPECT_EQ(text.finish, "stop");
  EXPECT_EQ(text.output.back(), 2);  // the end of turn
  const Json summary = Json::parse(shell_.read("summary.json"));
  EXPECT_EQ(summary["prompts_without_answer"], 3);
  EXPECT_EQ(summary["answers_cut_short"], 0);
  const Outcome cut = traces("-o cut --teacher reference -n 1 --json -");
  EXPECT_EQ(Json::parse(cut.out)["answers_cut_short"], 1);
  EXPECT_NE(cut.err.find("cut short: 1 given answers, longer than --max-new 1"), std::string::npos)
      << cut.err;
}

TEST_F(Traces, TheSummaryCountsWhatWasMade) {
  const Outcome outcome = traces("-o t -n 7 --limit 3 --turns first --json -");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json summary = Json::parse(outcome.out);
  const auto made = texts_in(exported("t"));
  std::size_t prompt_tokens = 0, output_tokens = 0;
  for (const auto& [name, text] : made) {
    prompt_tokens += text.prompt.size();
    output_tokens += text.output.size();
  }
  EXPECT_EQ(summary["traces"], 3);
  EXPECT_EQ(summary["prompt_tokens"], prompt_tokens);
  EXPECT_EQ(summary["output_tokens"], output_tokens);
  EXPECT_EQ(summary["interrupted"], false);
  EXPECT_NE(outcome.err.find("at most 3 traces of"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find(" new tokens/s; 1 of 1 shards are stored"), std::string::npos)
      << outcome.err;
  EXPECT_EQ(traces("-o t -n 7 --limit 3 --turns first --quiet").err, "");
}

TEST_F(Traces, MistakesAreNamed) {
  const auto refuse = [&](const std::string& arguments, const std::string& message) {
    const Outcome outcome = traces(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << arguments << "\n" << outcome.err;
  };
  refuse("", "--out is required");
  refuse("-o ''", "--out: expected a folder");
  refuse("-o t --temperature hot", "--temperature: expected a number from 0 to 100, found 'hot'");
  refuse("-o t --temperature 0 1", "--temperature: found 2 values, but --samples 1 uses only");
  refuse("-o t --layers 1", "--layers: only with --store features");
  refuse("-o t --store features", "--store features: expected --layers");
  refuse("-o t --store features --layers x", "--layers: expected the number of a layer or final");
  refuse("-o t --store features --layers 3", "--layers: found 3, but the model has 2 layers");
  refuse("-o t --store features --layers 1 1", "--layers: 1 is given twice");
  refuse("-o t --keep-top 100000", "--keep-top: found 100000, expected at most");
  refuse("-o t --budget much", "--budget: expected a size such as 500MB or 2GiB, found 'much'");
  refuse("-o t --fit", "--fit: only with --budget");
  refuse("-o t --chat raw --system x",
         "a raw text (--chat raw, or a model without a chat template)");
  refuse("-o t --shard 4/3",
         "--shard: expected I/N with I from 1 to N, such as 1/3, auto, or auto/N, found '4/3'");
  refuse("-o t --shard auto", "--shard auto: expected variables of a launcher, found none of");
  refuse("-o t --teacher reference --samples 2", "--teacher reference: nothing is sampled");
  refuse("-o t --teacher reference --limit 2", "--teacher reference: no prompt comes with");
  refuse("-o t --format sharegpt", "p.jsonl, line 1: \"conversations\": expected a list");
  refuse("-o t --json p.jsonl", "--json p.jsonl: would replace p.jsonl, which is read");
  refuse("-o t -c 8", "expected fewer than the context of 8; shorten it or raise --ctx");
  refuse("-o t -c 8 --skip-long", "--skip-long: no prompt fits the context");
  make("-o t -n 4");
  refuse("-o t -n 5", "--max-new was '4' and is now '5'");
  refuse("-o t -n 4 --limit 3", "--prompts was '4 with 7 turns, hash ");
  refuse("-o t -n 4 --limit 3", "and is now '3 with 6 turns, hash ");
  refuse("-o t -n 4 --turns first", "and is now '4 with 4 turns, hash ");
  refuse("-o t -n 4 --kv f32", "--numerics was 'int8' and is now 'int8 kv f32'");
  refuse("-o t -n 4 --kv q8_0", "--numerics was 'int8' and is now 'int8 kv q8_0'");
}

TEST_F(Traces, OptionsMayBeInAFile) {
  shell_.write("c.toml",
               "[traces]\nmodel = 'tiny.gguf'\nprompts = ['p.jsonl']\nout = 'from_file'\nsamples = "
               "4\ntemperature = ['0', '0.8']\nmax-new = 9\n");
  const Outcome outcome = shell_.run("\"$data\" traces --config c.toml");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  make("-o t --samples 4 --temperature 0 0.8 -n 9");
  EXPECT_EQ(exported("t"), exported("from_file"));
}

TEST_F(Traces, LongPromptsCanBeLeftOut) {
  const Outcome outcome = traces("-o t -n 4 -c 90 --turns first --skip-long --json -");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out)["prompts_too_long"], 1);
  EXPECT_EQ(Json::parse(outcome.out)["traces"], 3);
}

}  // namespace
}  // namespace outrider::test

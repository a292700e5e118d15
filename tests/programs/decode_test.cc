#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/programs/shell.h"

namespace outrider::test {
namespace {

using Json = nlohmann::json;

std::vector<Json> records_in(const std::string& lines) {
  std::istringstream stream(lines);
  std::vector<Json> records;
  for (std::string line; std::getline(stream, line);) records.push_back(Json::parse(line));
  return records;
}

std::vector<Json> decode(const Shell& shell, const std::string& arguments) {
  const Outcome outcome = shell.run("\"$runtime\" decode -m $tiny --json - " + arguments);
  EXPECT_EQ(outcome.status, 0) << arguments << "\n" << outcome.err;
  return records_in(outcome.out);
}

TEST(Decode, StreamsTheTextAndGivesFiguresOnStandardError) {
  const Shell shell;
  const Outcome outcome =
      shell.run("\"$runtime\" decode -m $tiny -p 'hello hello' -n 20 --json out.json");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const Json record = Json::parse(shell.read("out.json"));
  EXPECT_EQ(outcome.out, record["text"].get<std::string>() + "\n");
  for (const char* part : {"prefill ", " tokens/s, decode ", " tokens per pass, drafted ",
                           ", accepted ", ", peak memory "}) {
    EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(shell.run("\"$runtime\" decode -m $tiny -p hi -n 3 --quiet").err, "");
}

TEST(Decode, ARecordHoldsEverythingAboutItsText) {
  const Shell shell;
  const Json record = decode(shell, "-p 'hello hello' -n 20").at(0);
  std::set<std::string> keys;
  for (const auto& [key, value] : record.items()) keys.insert(key);
  EXPECT_EQ(keys, (std::set<std::string>{"id",
                                         "task",
                                         "method",
                                         "settings",
                                         "prompt_tokens",
                                         "output_tokens",
                                         "text",
                                         "finish_reason",
                                         "passes",
                                         "drafted",
                                         "accepted",
                                         "cut_rounds",
                                         "drafts",
                                         "prefilled_tokens",
                                         "prefill_seconds",
                                         "decode_seconds",
                                         "draft_seconds",
                                         "draft_counts",
                                         "verify_seconds",
                                         "sample_seconds",
                                         "by_drafter",
                                         "tokens_per_pass",
                                         "peak_rss_bytes"}));
  EXPECT_EQ(record["id"], "prompt");
  EXPECT_EQ(record["method"], "pld");
  EXPECT_EQ(record["finish_reason"], "length");
  EXPECT_EQ(record["output_tokens"].size(), 20u);
  const int passes = record["passes"];
  const int accepted = record["accepted"];
  int drafted_by_pass = 0, accepted_by_pass = 0;
  ASSERT_EQ(record["drafts"].size(), record["passes"].get<std::size_t>());
  for (const Json& pass : record["drafts"]) {
    drafted_by_pass += pass[0].get<int>();
    accepted_by_pass += pass[1].get<int>();
  }
  EXPECT_EQ(drafted_by_pass, record["drafted"]);
  EXPECT_EQ(accepted_by_pass, accepted);
  EXPECT_EQ(passes + accepted, 19);  // the first token comes from the prefill
  EXPECT_DOUBLE_EQ(record["tokens_per_pass"], 19.0 / passes);
  EXPECT_LE(accepted, record["drafted"].get<int>());
  EXPECT_EQ(record["settings"]["ngram"], 10);
  const double parts = record["draft_seconds"]["pld"].get<double>() +
                       record["verify_seconds"].get<double>() +
                       record["sample_seconds"].get<double>();
  EXPECT_GT(parts, 0);
  EXPECT_LE(parts, record["decode_seconds"].get<double>());
  const Json& of_pld = record["by_drafter"]["pld"];
  EXPECT_EQ(of_pld["drafted"], record["drafted"]);
  EXPECT_EQ(of_pld["accepted"], accepted);
  int passes_of_all = 0;
  double other = 0;
  for (const auto& [name, one] : record["by_drafter"].items()) {
    passes_of_all += one["passes"].get<int>();
    other += one["other_seconds"].get<double>();
  }
  EXPECT_EQ(passes_of_all, passes);
  EXPECT_GT(other, 0);
  EXPECT_LE(parts + other, record["decode_seconds"].get<double>());
}

TEST(Decode, EveryMethodAndSettingOfTheMachineGivesTheSameTokens) {
  const Shell shell;
  const auto texts = [&](const std::string& arguments) {
    Json tokens;
    for (const Json& record : decode(shell,
                                     "-p 'abc abc abc abc' -n 40 --samples 2 --temperature 0.8 "
                                     "--top-p 0.95 --seed 3 " +
                                         arguments))
      tokens.push_back(record["output_tokens"]);
    return tokens;
  };
  const Json plain = texts("--method ar");
  for (const char* other :
       {"", "--method pld --ngram 1 --draft-length 3", "--method context-ngram",
        "--method context-ngram --query 2 --drafts 3 --draft-length 4",
        "--method pld-plus-h --layer 1", "--method pld-plus-h --layer 1 --logit-weight 0.3",
        "--method pld-plus-h --layer 2 --threshold 0.5 --draft-length 3",
        "--method pld-plus-h --layer 1 --branches 3", "--method pld-plus-a --heads 2:1,1:3",
        "--method pld-plus-a --heads 2:1,1:3 --branches 2 --draft-length 70",
        "--method pld-plus-a --heads 2:1,1:3 --aggregation sum", "--method ssd --draft $tiny",
        "--method ssd --draft $tiny --draft-stop heuristic -t 2 --draft-threads 1", "-t 1",
        "--isa scalar", "--prefill-chunk 1", "--prefill-chunk 7", "-c 300"}) {
    EXPECT_EQ(texts(other), plain) << other;
  }
}

TEST(Decode, SeveralSequencesInAPassAreThoseDecodedAlone) {
  const Shell shell;
  shell.write("p.jsonl",
              "{\"id\": \"a\", \"turns\": [\"abc abc abc\", \"once more\"]}\n"
              "{\"id\": \"b\", \"system\": \"abc abc\", \"turns\": [\"three three three\"]}\n"
              "{\"id\": \"c\", \"turns\": [\"abc abc abc\"]}\n");
  const std::string asked = "--prompts p.jsonl --turns all --samples 3 --seed 3 -n 20 ";
  for (const std::string method :
       {"--method ar", "--method pld --ngram 1", "--method pld-plus-h --layer 1",
        "--method pld-plus-a --heads 2:1,1:3 --temperature 0.8",
        "--method ssd --draft $tiny --temperature 0.8 --stop e"}) {
    const std::vector<Json> alone = decode(shell, asked + method);
    ASSERT_EQ(alone.size(), 12u);
    for (const std::string sequences : {"2", "7", "16"}) {
      const std::vector<Json> together = decode(
          shell,
          fmt::format("{}{} --check --prefill-chunk 9 --sequences {}", asked, method, sequences));
      ASSERT_EQ(together.size(), 12u);
      for (std::size_t i = 0; i < alone.size(); ++i) {
        SCOPED_TRACE(fmt::format("{}, {}, text {}", method, sequences, i));
        for (const char* key : {"id", "turn", "sample", "prompt_tokens", "output_tokens", "text",
                                "finish_reason", "passes", "drafted", "accepted", "drafts"})
          EXPECT_EQ(together[i][key], alone[i][key]) << key;
      }
    }
  }
}

TEST(Decode, RecordsOfSharedPassesHaveNoTimesThatAdd) {
  const Shell shell;
  const Outcome outcome = shell.run(
      "\"$runtime\" decode -m $tiny -p 'hello hello' -n 20 --samples 5 --temperature 1 "
      "--sequences 3 --json out.json");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  std::string shown;
  for (const Json& record : records_in(shell.read("out.json"))) {
    EXPECT_EQ(record["settings"]["sequences"], 3);
    for (const char* key :
         {"prefill_seconds", "decode_seconds", "draft_seconds", "verify_seconds", "sample_seconds"})
      EXPECT_FALSE(record.contains(key)) << key;
    for (const auto& [drafter, results] : record["by_drafter"].items())
      EXPECT_EQ(results.size(), 3u) << drafter;
    EXPECT_GT(record["first_token_seconds"].get<double>(), 0);
    EXPECT_GT(record["last_token_seconds"].get<double>(),
              record["first_token_seconds"].get<double>());
    const std::string text = record["text"];
    shown += text;
    if (text.empty() || text.back() != '\n') shown += '\n';
  }
  EXPECT_EQ(outcome.out, shown);
  for (const char* part : {"5 texts, 3 at a time: ", " prompt tokens and 100 new ones in ",
                           " new tokens/s, ", " tokens per pass and text, ", " rows per pass, "})
    EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
  EXPECT_FALSE(decode(shell, "-p hi -n 3").at(0)["settings"].contains("sequences"));
}

TEST(Decode, ChecksKeysAndValuesOfEveryType) {
  const Shell shell;
  for (const auto& [flags, numerics] :
       {std::pair{"--kv f32", "int8 kv f32"}, std::pair{"--numerics f32 --kv f16", "f32 kv f16"},
        std::pair{"--kv f16", "int8"}, std::pair{"--kv q8_0", "int8 kv q8_0"},
        std::pair{"--kv q8_0 --isa scalar -t 2 --prefill-chunk 3", "int8 kv q8_0"}}) {
    const Json record = decode(shell, "-p 'abc abc abc abc' -n 40 --method pld --ngram 1 --check " +
                                          std::string(flags))
                            .at(0);
    EXPECT_EQ(record["settings"]["numerics"], numerics);
    EXPECT_GT(record["drafted"], 0) << flags;
  }
}

TEST(Decode, ChecksFoldersWithWindowsAndFusedTensors) {
  const Shell shell;
  for (const std::string name : {"mistral_window", "phi3_longrope"}) {
    const Outcome outcome =
        shell.run("\"$runtime\" decode -m \"$source/tests/golden/hf/" + name +
                  "\" --chat raw -p 'hello hello hello' -n 60 --method pld --ngram 1 "
                  "--check --json -");
    EXPECT_EQ(outcome.status, 0) << name << "\n" << outcome.err;
    const Json record = records_in(outcome.out).at(0);
    EXPECT_GT(record["drafted"], 0) << name;
  }
}

TEST(Decode, PromptsSamplesAndTurnsAreNumbered) {
  const Shell shell;
  shell.write("p.jsonl",
              "{\"id\": \"a\", \"task\": \"t\", \"turns\": [\"one\", \"two\"]}\n{\"turns\": "
              "[\"three\"]}\n{\"id\": \"c\", \"turns\": [\"four\"]}\n");
  const std::vector<Json> all = decode(
      shell, "--prompts p.jsonl --limit 2 --turns all --samples 2 --temperature 1 -n 4 --check");
  std::vector<std::string> names;
  for (const Json& r : all) {
    names.push_back(r["id"].get<std::string>() + " " + r["turn"].dump() + " " + r["sample"].dump());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"a 1 1", "a 2 1", "a 1 2", "a 2 2", "p line 2 1 1",
                                             "p line 2 1 2"}));
  EXPECT_EQ(all[0]["task"], "t");
  EXPECT_NE(all[0]["output_tokens"], all[2]["output_tokens"]);  // samples differ
  // A second turn follows the first and its answer as the model generated it.
  std::vector<int> first = all[0]["prompt_tokens"];
  for (const int token : all[0]["output_tokens"]) first.push_back(token);
  const std::vector<int> second = all[1]["prompt_tokens"];
  ASSERT_GT(second.size(), first.size());
  EXPECT_TRUE(std::equal(first.begin(), first.end(), second.begin()));
  // Only what is new is forwarded: of a turn, what follows the last pass; of a sample, one token.
  EXPECT_EQ(all[0]["prefilled_tokens"], all[0]["prompt_tokens"].size());
  EXPECT_EQ(all[1]["prefilled_tokens"], second.size() - (first.size() - 1));
  for (const int sample : {2, 5})
    EXPECT_EQ(all[static_cast<std::size_t>(sample)]["prefilled_tokens"], 1);
  EXPECT_GT(all[4]["prefilled_tokens"], 1);

  const std::vector<Json> firsts = decode(shell, "--prompts p.jsonl -n 4");
  EXPECT_EQ(firsts.size(), 3u);
  EXPECT_FALSE(firsts[0].contains("turn"));
  EXPECT_FALSE(firsts[0].contains("sample"));
}

TEST(Decode, AStopStringAcrossTokensEndsTheTextButNotTheIds) {
  const Shell shell;
  // A text of the letters a to d, each a token of its own.
  const std::string letters =
      "-p hello -n 30 --temperature 1 --logit-bias 100=1000 101=1000 102=1000 103=1000 ";
  const Json whole = decode(shell, letters).at(0);
  const std::string text = whole["text"];
  ASSERT_EQ(text.size(), 30u);
  const std::string stop = text.substr(10, 4);
  const std::size_t found = text.find(stop);
  const Json cut = decode(shell, letters + "--stop never '" + stop + "'").at(0);
  EXPECT_EQ(cut["text"], text.substr(0, found));
  EXPECT_EQ(cut["finish_reason"], "stop");
  std::vector<int> ids = whole["output_tokens"];
  ids.resize(found + 4);
  EXPECT_EQ(cut["output_tokens"], Json(ids));
}

TEST(Decode, ReachingTheContextEndsTheText) {
  const Shell shell;
  const std::size_t prompt = decode(shell, "-p hi -n 1").at(0)["prompt_tokens"].size();
  const Json full = decode(shell, "-p hi -n 50 -c " + std::to_string(prompt + 5)).at(0);
  EXPECT_EQ(full["finish_reason"], "context");
  EXPECT_EQ(full["output_tokens"].size(), 5u);
}

TEST(Decode, TheEndTokenEndsTheTextAndIsAmongTheIds) {
  const Shell shell;
  const Json ended = decode(shell, "-p hi -n 50 --logit-bias 2=1000").at(0);
  EXPECT_EQ(ended["finish_reason"], "stop");
  EXPECT_EQ(ended["output_tokens"], Json::parse("[2]"));
  EXPECT_EQ(ended["text"], "");
}

TEST(Decode, ReadsThePromptFromStandardInputOrAFileWithoutItsLastLineEnd) {
  const Shell shell;
  const Json given = decode(shell, "-p $'two\\nlines' -n 4").at(0)["prompt_tokens"];
  shell.write("prompt.txt", "two\nlines\n");
  EXPECT_EQ(decode(shell, "--prompt-file prompt.txt -n 4").at(0)["prompt_tokens"], given);
  EXPECT_EQ(decode(shell, "-p - -n 4 < prompt.txt").at(0)["prompt_tokens"], given);
}

TEST(Decode, SystemMessageAndChatFormatCanBeChosen) {
  const Shell shell;
  const std::size_t usual = decode(shell, "-p hi -n 1").at(0)["prompt_tokens"].size();
  const std::size_t none = decode(shell, "-p hi -n 1 --system ''").at(0)["prompt_tokens"].size();
  const std::size_t raw = decode(shell, "-p hi -n 1 --chat raw").at(0)["prompt_tokens"].size();
  EXPECT_GT(usual, none);
  EXPECT_GT(none, raw);
  EXPECT_EQ(raw, 2u);  // no token of the tiny vocabulary merges these letters
}

}  // namespace
}  // namespace outrider::test

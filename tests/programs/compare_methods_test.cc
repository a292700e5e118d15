// scripts/compare_methods, whose tables by task and by length are divided here again.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/programs/shell.h"

namespace outrider::test {
namespace {

using Json = nlohmann::json;

const char* const kThreeRows =
    " --row copies \"--method pld --draft-length 3\" --row tables \"--method context-ngram "
    "--drafts "
    "2 --draft-length 2\" --row whatever \"\"";

Outcome compared(const Shell& shell, const std::string& flags) {
  return shell.run(
      "\"$source/scripts/compare_methods\" $tiny words.jsonl --runtime \"$runtime\" --calibrate "
      "\"$calibrate\" --out made --threads 1 -n 40 --costs stored " +
      flags);
}

constexpr std::string_view kWithoutLoops = ", without loops";

/// Figures by the name of their table, but for those without loops.
std::map<std::string, Json> figures_made(const Shell& shell) {
  std::map<std::string, Json> found;
  const Json run = Json::parse(shell.read("made/figures.json"));
  for (const Json& table : run["tables"])
    if (const auto name = table["name"].get<std::string>(); !name.ends_with(kWithoutLoops))
      found[name] = table;
  return found;
}

void write_three_prompts(const Shell& shell) {
  std::string longer;
  for (int word = 0; word < 120; ++word) longer += word % 2 == 0 ? " a" : " b";
  // U+2028 ends a line for Python's str.splitlines, not one of JSON lines.
  shell.write(
      "words.jsonl",
      "{\"id\": \"a\u2028b\", \"task\": \"copy\", \"turns\": [\"abc abd\u2028abc abd abc\"]}\n"
      "{\"task\": \"say/sing\", \"turns\": [\"the cat and the hat\", \"and the bat\"]}\n"
      "{\"task\": \"copy\", \"turns\": [\"" +
          longer + "\"]}\n");
}

TEST(CompareMethods, MakesATableForEachTaskWithTheTurnsOfAll) {
  const Shell shell;
  write_three_prompts(shell);
  const Outcome counted =
      compared(shell, std::string("--by task -t 0 0.7 --acceptance-only") + kThreeRows);
  ASSERT_EQ(counted.status, 0) << counted.err;
  EXPECT_EQ(counted.out.find("Every text is the same"),
            std::string::npos);  // none was decoded again
  EXPECT_NE(counted.out.find("temperature 0.7, 2 tables"), std::string::npos) << counted.out;
  const auto by_replay = figures_made(shell);
  const Outcome decoded = compared(shell, std::string("--by task -t 0 0.7 -r 1") + kThreeRows);
  ASSERT_EQ(decoded.status, 0) << decoded.err;
  EXPECT_NE(decoded.out.find("Every text is the same"), std::string::npos);
  const auto by_decoding = figures_made(shell);
  ASSERT_EQ(by_replay.size(), 4U);
  EXPECT_EQ(by_replay.at("words, copy, temperature 0")["input_words"],
            Json({{"decoded", (5 + 120) / 2.0}, {"all", (5 + 120) / 2.0}, {"records", 2}}));
  EXPECT_EQ(by_replay.at("words, say-sing, temperature 0.7")["input_words"]["decoded"],
            (5 + 3) / 2.0);
  for (const auto& [name, table] : by_replay) {
    for (const auto& [method, row] : table["methods"].items()) {
      const Json& same = by_decoding.at(name)["methods"][method];
      EXPECT_EQ(row["tokens_per_pass"], same["tokens_per_pass"]) << name << method;
      EXPECT_EQ(row["accepted"], same["accepted"]) << name << method;
      EXPECT_EQ(row["drafted_per_pass"], same["drafted_per_pass"]) << name << method;
      EXPECT_EQ(row["accepted_by_depth"], same["accepted_by_depth"]) << name << method;
      EXPECT_TRUE(row["tokens_per_second"].empty());
      EXPECT_EQ(same["tokens_per_second"].size(), 1U);
    }
  }
  const Json& copies = by_replay.at("words, copy, temperature 0")["methods"]["copies"];
  EXPECT_GT(copies["tokens_per_pass"], 1);
}

TEST(CompareMethods, MakesATableForEachRangeOfLengths) {
  const Shell shell;
  write_three_prompts(shell);
  const Outcome counted =
      compared(shell, std::string("--by length -t 0 -l 1 --acceptance-only") + kThreeRows);
  ASSERT_EQ(counted.status, 0) << counted.err;
  const auto found = figures_made(shell);
  ASSERT_EQ(found.size(), 2U);
  const Json& lengths = found.at("words, below 100 words, temperature 0")["input_words"];
  EXPECT_EQ(lengths["decoded"], 5);  // the first of two
  EXPECT_DOUBLE_EQ(lengths["all"], (5 + 5 + 3) / 3.0);
  EXPECT_EQ(lengths["records"], 2);
  EXPECT_EQ(found.at("words, below 400 words, temperature 0")["input_words"]["all"], 120);
}

TEST(CompareMethods, GivesSamplingFlagsToEveryRow) {
  const Shell shell;
  write_three_prompts(shell);
  const Outcome decoded =
      compared(shell, std::string("-t 0.7 -r 1 -l 1 --sampling '--top-k 3'") + kThreeRows);
  ASSERT_EQ(decoded.status, 0) << decoded.err << decoded.out;
  std::istringstream lines(shell.read("made/records.jsonl"));
  int rows = 0;
  for (std::string line; std::getline(lines, line); ++rows)
    EXPECT_EQ(Json::parse(line)["settings"]["top_k"], 3) << line;
  EXPECT_EQ(rows, 4);
}

TEST(CompareMethods, CountsDraftsByTheTokensAccepted) {
  const Shell shell;
  write_three_prompts(shell);
  const Outcome decoded = compared(shell, std::string("-t 0 -r 1") + kThreeRows);
  ASSERT_EQ(decoded.status, 0) << decoded.err;
  std::vector<double> at_least(4, 0);
  double drafts = 0;
  std::istringstream lines(shell.read("made/records.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    const Json record = Json::parse(line);
    if (record["row"] != "copies") continue;
    for (const auto& draft : record["drafts"]) {
      if (draft[0] == 0) continue;
      ++drafts;
      for (int depth = 1; depth <= draft[1].get<int>(); ++depth)
        ++at_least.at(static_cast<std::size_t>(depth));
    }
  }
  const Json found = figures_made(shell).at("words, temperature 0")["methods"]["copies"];
  const std::size_t depths = found["accepted_by_depth"].size();
  ASSERT_GE(depths, 2U);
  for (std::size_t depth = 1; depth < at_least.size(); ++depth)
    EXPECT_DOUBLE_EQ(depth <= depths ? found["accepted_by_depth"][depth - 1].get<double>() : 0,
                     at_least[depth] / drafts);
  EXPECT_LT(at_least[2], at_least[1]);
}

/// What llama.cpp's server is asked by the script, answered with other tokens: 10 ms a token, four drafted of which one was accepted.
constexpr std::string_view kOtherServer = R"(#!/usr/bin/env python3
import json, sys
from http.server import BaseHTTPRequestHandler, HTTPServer
class Handler(BaseHTTPRequestHandler):
    def answer(self, what):
        text = json.dumps(what).encode()
        self.send_response(200)
        self.send_header('Content-Length', str(len(text)))
        self.end_headers()
        self.wfile.write(text)
    def do_GET(self):
        self.answer({'status': 'ok'})
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers['Content-Length'])))
        tokens = asked['n_predict']
        assert asked['prompt'] and asked['ignore_eos'] and not asked['cache_prompt']
        self.answer({'tokens': [1] * tokens, 'timings': {'predicted_n': tokens, 'predicted_ms': 10.0 * (tokens - 1),
                     'prompt_n': len(asked['prompt']), 'prompt_ms': 7.0, 'draft_n': 4, 'draft_n_accepted': 1}})
    def log_message(self, *_):
        pass
HTTPServer(('127.0.0.1', int(sys.argv[sys.argv.index('--port') + 1])), Handler).serve_forever()
)";

TEST(CompareMethods, AsksAnotherProgramsServerForAsManyTokens) {
  const Shell shell;
  write_three_prompts(shell);
  shell.write("llama-server", std::string(kOtherServer));
  ASSERT_EQ(shell.run("chmod +x llama-server").status, 0);
  const Outcome decoded = compared(shell,
                                   "-t 0 -r 2 --row other \"--llama $PWD --spec-type "
                                   "ngram-simple\" --row copies \"--method pld\"");
  ASSERT_EQ(decoded.status, 0) << decoded.err << decoded.out;
  EXPECT_NE(decoded.out.find("but with other: "), std::string::npos) << decoded.out;
  const Json row = figures_made(shell).at("words, temperature 0")["methods"]["other"];
  ASSERT_EQ(row["tokens_per_second"].size(), 2U);
  EXPECT_NEAR(row["tokens_per_second"][0].get<double>(), 100, 1e-6);
  std::istringstream lines(shell.read("made/records.jsonl"));
  int texts = 0;
  for (std::string line; std::getline(lines, line);) {
    const Json record = Json::parse(line);
    if (record["row"] != "other") continue;
    ++texts;
    EXPECT_EQ(record["settings"]["flags"], (Json{"--spec-type", "ngram-simple"}));
    EXPECT_EQ(record["passes"].get<std::size_t>(), record["output_tokens"].size() - 2);
  }
  EXPECT_EQ(texts, 2 * 4);
  const Outcome absent = compared(shell, "--row other \"--llama $PWD/made\"");
  EXPECT_EQ(absent.status, 2);
  EXPECT_NE(absent.err.find("--llama: expected llama-server in "), std::string::npos) << absent.err;
  const Outcome counted = compared(shell, "--acceptance-only --row other \"--llama $PWD\"");
  EXPECT_EQ(counted.status, 2);
  EXPECT_NE(counted.err.find("cannot be replayed"), std::string::npos) << counted.err;
}

TEST(CompareMethods, ShowsTextsOnceMoreWithoutLoops) {
  const Shell shell;
  write_three_prompts(shell);
  const Outcome decoded = compared(shell, std::string("-t 0 -r 1") + kThreeRows);
  ASSERT_EQ(decoded.status, 0) << decoded.err;
  EXPECT_NE(decoded.out.find("\ntemperature 0, without loops, 1 tables"), std::string::npos)
      << decoded.out;
  const Json tables = Json::parse(shell.read("made/figures.json"))["tables"];
  ASSERT_EQ(tables.size(), 2U);
  EXPECT_EQ(tables[1]["name"], "words, temperature 0, without loops");
  // The tiny model's texts soon repeat themselves, which is easy to copy.
  const auto tokens_per_pass = [&](std::size_t table) {
    return tables[table]["methods"]["copies"]["tokens_per_pass"].get<double>();
  };
  EXPECT_GT(tokens_per_pass(1), 1);
  EXPECT_LT(tokens_per_pass(1), tokens_per_pass(0));
  EXPECT_EQ(tables[1]["methods"]["ar"]["tokens_per_pass"], 1);
}

TEST(CompareMethods, HasIntervalsOverTexts) {
  const Shell shell;
  write_three_prompts(shell);
  const Outcome decoded = compared(shell, std::string("-t 0 -r 2") + kThreeRows);
  ASSERT_EQ(decoded.status, 0) << decoded.err;
  const Json methods = figures_made(shell).at("words, temperature 0")["methods"];
  EXPECT_EQ(methods["ar"]["tokens_per_pass_interval"], Json({1, 1})) << "as every text has it";
  EXPECT_EQ(methods["ar"]["speed_up_interval"], Json({1, 1})) << "paired with itself";
  const Json& copies = methods["copies"];
  const double of_all = copies["tokens_per_pass"], low = copies["tokens_per_pass_interval"][0],
               high = copies["tokens_per_pass_interval"][1];
  EXPECT_LT(low, of_all);
  EXPECT_GT(high, of_all);
  // Three texts: no mean of some is outside of their own figures.
  std::vector<double> of_texts;
  const Json& texts = copies["texts"];
  ASSERT_EQ(texts["tokens"].size(), 3U) << "both turns of a prompt are one";
  for (std::size_t i = 0; i < 3; ++i)
    of_texts.push_back(texts["tokens"][i].get<double>() / texts["passes"][i].get<double>());
  const auto [least, most] = std::minmax_element(of_texts.begin(), of_texts.end());
  EXPECT_GE(low, *least);
  EXPECT_LE(high, *most);
  EXPECT_TRUE(copies["speed_up_interval"].is_array());
  EXPECT_NE(decoded.out.find("speed-up, over texts"), std::string::npos) << decoded.out;
}

// The same intervals as those of the stop study, but for other draws.
TEST(Intervals, AreThoseOfTheStopStudy) {
  const Shell shell;
  Json tokens = Json::array(), plain = Json::array(), drafted = Json::array();
  for (int i = 0; i < 30; ++i) {
    tokens.push_back(20 + i % 7);
    plain.push_back(0.1 * (20 + i % 5));
    drafted.push_back(0.1 * (8 + (i * i) % 13));
  }
  shell.write("texts.json",
              Json({{"tokens", tokens}, {"plain", plain}, {"drafted", drafted}}).dump());
  const auto policy = [&](const char* name, const Json& seconds) {
    return Json({{"policy", name}, {"tokens_of_texts", tokens}, {"seconds_of_texts", seconds}});
  };
  shell.write("s.json", Json({{"temperature", 0},
                              {"verify", "coupled"},
                              {"policies", {policy("target", plain), policy("path", drafted)}}})
                            .dump());
  const auto three = [](const std::string& text, const std::string& after, const char* pattern) {
    std::vector<double> found(3);
    const auto at = text.find(after);
    EXPECT_NE(at, std::string::npos) << text;
    if (at != std::string::npos) {
      EXPECT_EQ(std::sscanf(text.c_str() + at + after.size(), pattern, found.data(),
                            found.data() + 1, found.data() + 2),
                3)
          << text;
    }
    return found;
  };
  const auto expected =
      three(shell.run("$calibrate stops s.json").out, "\npath", " %lf (%lf to %lf)");
  shell.write("intervals_of.py",
              R"(import json, sys
sys.path.insert(0, sys.argv[1])
import intervals
texts = json.load(open('texts.json'))
rate = lambda who, chosen: intervals.rate(texts['tokens'], texts[who], chosen)
ratio = lambda sets: rate('plain', sets[0]) / rate('drafted', sets[0])
print('all: %.4f (%.4f-%.4f)' % (ratio([range(30)]), *intervals.interval([30], ratio)))
)");
  const auto found =
      three(shell.run("python3 intervals_of.py \"$source/scripts\"").out, "all: ", "%lf (%lf-%lf)");
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(found[i], expected[i], 0.012) << i;
  EXPECT_GT(expected[2] - expected[1], 0.05) << "wide enough to tell";
}

TEST(CompareMethods, LeavesOutTextsOfSpeculativeSampling) {
  const Shell shell;
  write_three_prompts(shell);
  const std::string draft = " \"--method ssd --draft $tiny --draft-length 2";
  const std::string rows =
      "-t 0.9 -r 1 --row coupled" + draft + "\" --row rejection" + draft + " --verify rejection\"";
  const Outcome decoded = compared(shell, rows);
  ASSERT_EQ(decoded.status, 0) << decoded.err;
  EXPECT_NE(decoded.out.find("token for token, but with rejection: --verify"), std::string::npos)
      << decoded.out;
  std::map<std::string, std::string> texts;
  std::istringstream lines(shell.read("made/records.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    const Json record = Json::parse(line);
    texts[record["row"]] += record["output_tokens"].dump();
  }
  EXPECT_EQ(texts["coupled"], texts["ar"]);
  EXPECT_NE(texts["rejection"], texts["ar"]) << "or nothing was left out";
  const Outcome other = compared(shell, "-t 0.9 -r 1 --row other \"--method pld --seed 5\"");
  EXPECT_EQ(other.status, 1) << other.out;
}

TEST(CompareMethods, SumsUpWhatTreesDraft) {
  const Shell shell;
  write_three_prompts(shell);
  const Outcome decoded = compared(
      shell, "-t 0 -r 1 --row tree \"--method gsd --draft $tiny --preset paper --draft-length 3\"");
  ASSERT_EQ(decoded.status, 0) << decoded.err;
  double rounds = 0, drafted = 0, accepted = 0, first = 0;
  std::istringstream lines(shell.read("made/records.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    const Json record = Json::parse(line);
    if (record["row"] != "tree") continue;
    const Json& counts = record["draft_counts"];
    rounds += counts["rounds"].get<double>();
    drafted += counts["drafted_nodes"].get<double>();
    accepted += counts["accepted_nodes"].get<double>();
    first += counts["accepted_children_1"].get<double>();
  }
  const Json row = figures_made(shell).at("words, temperature 0")["methods"]["tree"];
  EXPECT_GT(drafted, 0);
  EXPECT_DOUBLE_EQ(row["drafted_nodes_per_round"], drafted / rounds);
  EXPECT_DOUBLE_EQ(row["share_of_later_children"], (accepted - first) / accepted);
  EXPECT_EQ(row["cut_rounds"], 0);
  EXPECT_FALSE(figures_made(shell).at("words, temperature 0")["methods"]["ar"].contains(
      "drafted_nodes_per_round"));
}

TEST(CompareMethods, NamesAFieldThatARecordLacks) {
  const Shell shell;
  write_three_prompts(shell);
  const Outcome outcome = compared(shell, "--by source");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("--by source: a record of words.jsonl has no such field"),
            std::string::npos)
      << outcome.err;
}

}  // namespace
}  // namespace outrider::test

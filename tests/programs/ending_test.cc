#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "tests/programs/shell.h"

namespace outrider::test {
namespace {

/// Runs a command of a program, presses Ctrl-C once it would be caught and the first of the work is done, and waits.
Outcome interrupted_run(const Shell& shell, const std::string& program, const std::string& words) {
  return shell.run(
      "\"$" + program + "\" " + words +
      " > text 2> progress & pid=$!; until [ \"$(cat /proc/$pid/comm)\" = " + program +
      " ] && "
      "(( 0x$(awk '/^SigCgt/ {print $2}' /proc/$pid/status) & 2 )) || ! kill -0 $pid; do "
      "sleep 0.05; done; "
      "sleep 1; kill -INT $pid; wait $pid");
}

TEST(Ending, CtrlCKeepsWhatWasMade) {
  const Shell shell;
  shell.write("p.jsonl",
              "{\"id\": \"a\", \"turns\": [\"hi\"]}\n{\"id\": \"b\", \"turns\": [\"ho\"]}\n");
  for (const std::string signal : {"INT", "TERM"}) {
    const Outcome outcome = shell.run(
        "rm -f text; \"$runtime\" decode -m $endless --prompts p.jsonl -n 180000 --logit-bias "
        "2=-1000 "
        "--check --json out.json > text 2> figures & pid=$!; until [ -s text ]; do sleep 0.05; "
        "done; kill -" +
        signal + " $pid; wait $pid");
    EXPECT_EQ(outcome.status, 130) << shell.read("figures");
    const nlohmann::json record = nlohmann::json::parse(shell.read("out.json"));
    EXPECT_EQ(record["finish_reason"], "interrupted");
    EXPECT_GE(record["output_tokens"].size(), 1u);
    EXPECT_EQ(shell.read("text"), record["text"].get<std::string>() + "\n");
    const std::string figures = shell.read("figures");
    EXPECT_NE(figures.find(" tokens per pass"), std::string::npos) << figures;
    EXPECT_EQ(figures.find("runtime:"), std::string::npos) << figures;
  }
}

TEST(Ending, CtrlCLeavesACertificateOfWhatWasCompared) {
  const Shell shell;
  const Outcome outcome =
      interrupted_run(shell, "runtime", "certify -m $tiny --minutes 10 --json out.json");
  EXPECT_EQ(outcome.status, 130) << shell.read("progress");
  const nlohmann::json certificate = nlohmann::json::parse(shell.read("out.json"));
  EXPECT_EQ(certificate["interrupted"], true);
  EXPECT_EQ(certificate["difference"], nullptr);
  EXPECT_NE(shell.read("text").find("interrupted"), std::string::npos) << shell.read("text");
}

TEST(Ending, CtrlCLeavesFiguresThatSayTheyAreNotAll) {
  const Shell shell;
  std::string prompts;
  for (int i = 0; i < 4000; ++i)
    prompts += R"({"turns": ["What?"], "reference": "Each letter of this is a token."})"
               "\n";
  shell.write("p.jsonl", prompts);
  for (const auto& [program, words] :
       {std::pair<std::string, std::string>{
            "calibrate", "quality -m $tiny --prompts p.jsonl --tokens 1000000000"},
        {"runtime", "bench --engine -m $endless -t 1 --rows 1 --contexts 30 --rounds 100000"}}) {
    const Outcome outcome = interrupted_run(shell, program, words + " --json out.json");
    EXPECT_EQ(outcome.status, 130) << words << shell.read("progress");
    EXPECT_EQ(nlohmann::json::parse(shell.read("out.json"))["interrupted"], true) << words;
    EXPECT_NE(shell.read("text").find("interrupted"), std::string::npos) << shell.read("text");
  }
}

TEST(Ending, AClosedPipeIsQuiet) {
  const Shell shell;
  // More texts than there is time for: it has to notice that nobody reads.
  for (const char* flags : {"--quiet", "--quiet --json -"}) {
    const Outcome outcome =
        shell.run(std::string("\"$runtime\" decode -m $tiny -p hi -n 20 --samples 1000000 "
                              "--temperature 1 --chat raw ") +
                  flags + " | head -c 5; exit ${PIPESTATUS[0]}");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.out.size(), 5u);
    EXPECT_EQ(outcome.err, "");
  }
  EXPECT_EQ(shell.run("\"$runtime\" decode --help | true; exit ${PIPESTATUS[0]}").status, 0);
}

TEST(Ending, AFullDiskIsAClearError) {
  const Shell shell;
  const Outcome json = shell.run("\"$runtime\" decode -m $tiny -p hi -n 3 --json /dev/full");
  EXPECT_EQ(json.status, 2);
  EXPECT_NE(json.err.find("runtime: --json /dev/full: cannot write: No space left on device\n"),
            std::string::npos)
      << json.err;
  const Outcome text = shell.run("\"$runtime\" decode -m $tiny -p hi -n 3 > /dev/full");
  EXPECT_EQ(text.status, 2);
  EXPECT_NE(text.err.find("cannot write to standard output: No space left on device"),
            std::string::npos)
      << text.err;
}

TEST(Ending, AFullStandardOutputLosesNoRecord) {
  const Shell shell;
  shell.write("p.jsonl", "{\"turns\": [\"a\"]}\n{\"turns\": [\"b\"]}\n");
  const Outcome full = shell.run(
      "\"$runtime\" decode -m $tiny --prompts p.jsonl -n 3 --quiet --json t.jsonl > /dev/full");
  EXPECT_EQ(full.status, 2);
  EXPECT_NE(full.err.find("cannot write to standard output: No space left on device"),
            std::string::npos)
      << full.err;
  const std::string records = shell.read("t.jsonl");
  EXPECT_EQ(std::count(records.begin(), records.end(), '\n'), 2) << records;
}

TEST(Ending, NamesThatAreNotUtf8AreInResults) {
  const Shell shell;
  shell.write("p.jsonl",
              "{\"turns\": [\"hi\"], \"reference\": \"some words to score, and more of them\"}\n");
  shell.run("cp $tiny $'bad\\xff.gguf'; cp p.jsonl $'bad\\xff.jsonl'");
  for (const char* command :
       {"\"$runtime\" certify -m $'bad\\xff.gguf' --minutes 0",
        "\"$calibrate\" quality -m $'bad\\xff.gguf' --prompts $'bad\\xff.jsonl' --tokens 3"}) {
    const Outcome outcome = shell.run(std::string(command) + " --json -");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_TRUE(nlohmann::json::accept(outcome.out)) << outcome.out;
  }
}

TEST(Ending, JsonReplacesTheFile) {
  const Shell shell;
  shell.write("out.json", std::string(100000, 'x'));
  EXPECT_EQ(shell.run("\"$runtime\" decode -m $tiny -p hi -n 3 --json out.json").status, 0);
  EXPECT_EQ(nlohmann::json::parse(shell.read("out.json"))["output_tokens"].size(), 3u);
}

TEST(Ending, HelpAndVersionAreResults) {
  const Shell shell;
  EXPECT_NE(shell.run("\"$runtime\" --help").out.find("decode"), std::string::npos);
  const Outcome help = shell.run("\"$runtime\" decode --help");
  EXPECT_EQ(help.status, 0);
  EXPECT_NE(help.out.find("Examples:"), std::string::npos);
  EXPECT_NE(help.out.find("--max-new INT=256"), std::string::npos) << help.out;
  EXPECT_EQ(shell.run("\"$runtime\" --version").out.rfind("runtime ", 0), 0u);
}

}  // namespace
}  // namespace outrider::test

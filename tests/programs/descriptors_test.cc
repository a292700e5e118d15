// Programs whose standard streams are closed, full or cut short.

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tests/programs/shell.h"

namespace outrider::test {
namespace {

using Json = nlohmann::json;

std::string text_of_record(const Shell& shell, const std::string& file) {
  return Json::parse(shell.read(file)).at("text").get<std::string>();
}

TEST(StandardStreams, ThatAreClosedTakeNothingIntoOtherFiles) {
  const Shell shell;
  for (const char* closed : {">&-", "2>&-", "<&-", ">&- 2>&-", "<&- >&- 2>&-"}) {
    const Outcome outcome =
        shell.run(std::string("rm -f out.json; \"$runtime\" decode -m $tiny -p hi -n 8 --json "
                              "out.json ") +
                  closed);
    EXPECT_EQ(outcome.status, 0) << closed << outcome.err;
    EXPECT_NO_THROW(text_of_record(shell, "out.json")) << closed << shell.read("out.json");
  }
  EXPECT_EQ(shell.run("\"$runtime\" decode -m $tiny -p - <&-").status, 2);
}

TEST(StandardStreams, OutputThatIsToGoThereNeedsThemOpen) {
  const Shell shell;
  shell.write("p.jsonl", "{\"turns\": [\"hi\"]}\n");
  ASSERT_EQ(shell.run("\"$data\" traces -m $tiny --prompts p.jsonl -n 4 -o S").status, 0);
  for (const char* command :
       {"\"$runtime\" decode -m $tiny -p hi -n 4 --json - >&-",
        "\"$runtime\" decode -m $tiny -p hi -n 4 --json /dev/stdout >&-",
        "\"$runtime\" decode -m $tiny -p hi -n 4 --json /proc/self/fd/1 >&-",
        "\"$data\" export S --to jsonl --out - >&-", "\"$data\" inspect S --json - >&-"}) {
    const Outcome outcome = shell.run(command);
    EXPECT_EQ(outcome.status, 2) << command;
    EXPECT_NE(outcome.err.find("which is closed"), std::string::npos) << outcome.err;
  }
}

TEST(StandardStreams, ALogThatCannotBeWrittenEndsNoRun) {
  const Shell shell;
  shell.write("p.jsonl", "{\"turns\": [\"hi\"]}\n{\"turns\": [\"ho\"]}\n");
  shell.run("mknod full c 1 7 2> /dev/null || ln -s /dev/full full");
  for (const char* log : {"2>full", "2>&-", "2> >(true)"}) {
    const auto status = [&](const std::string& command) {
      return shell.run(command + " " + log).status;
    };
    EXPECT_EQ(status("\"$runtime\" decode -m $tiny --prompts p.jsonl -n 8 --check --json t.jsonl"),
              0);
    EXPECT_EQ(shell.run("grep -c '\"text\"' t.jsonl").out, "2\n") << log;
    EXPECT_EQ(status("rm -rf S; \"$data\" traces -m $tiny --prompts p.jsonl -o S -n 8"), 0) << log;
    EXPECT_EQ(status("\"$data\" verify S"), 0) << log;
    EXPECT_EQ(status("\"$runtime\" decode -m absent -p hi"), 2) << log;
  }
}

/// A terminal that goes away while a program, which was started to outlive it, writes its log there.
TEST(StandardStreams, AClosedTerminalEndsNoRunThatOutlivesIt) {
  const Shell shell;
  shell.write("p.jsonl", "{\"turns\": [\"hi\"]}\n{\"turns\": [\"ho\"]}\n");
  shell.write("steps",
              "echo begun > begun; wait_for closed closed 1\n"
              "\"$runtime\" decode -m $tiny --prompts p.jsonl -n 8 --json t.jsonl > text\n"
              "echo $? > status; echo ended > ended\n");
  // In a file of its own: two shells run at once.
  shell.run("{ declare -p runtime tiny; declare -f wait_for; cat steps; } > script");
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::signal(SIGHUP, SIG_IGN);
    if (::chdir(shell.path().c_str()) == 0) ::execlp("bash", "bash", "script", nullptr);
    ::_exit(1);
  }
  shell.run("wait_for begun begun 1");
  ::close(terminal);
  shell.write("closed", "closed\n");
  shell.run("wait_for ended ended 1");
  EXPECT_EQ(shell.read("status"), "0\n");
  EXPECT_EQ(shell.run("grep -c '\"text\"' t.jsonl").out, "2\n");
  ::waitpid(child, nullptr, 0);
}

TEST(StandardStreams, StandardInputIsReadFromWhereItIs) {
  const Shell shell;
  shell.write("two lines", "first\nsecond\n");
  const auto tokens = [&](const std::string& command) {
    const Outcome outcome = shell.run(command);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.out;
  };
  const std::string second = tokens("\"$runtime\" tokenize -m $tiny -p $'second\\n'");
  EXPECT_EQ(tokens("{ read -r; \"$runtime\" tokenize -m $tiny -p -; } < 'two lines'"), second);
  EXPECT_EQ(
      tokens("exec < 'two lines'; rm 'two lines'; read -r; \"$runtime\" tokenize -m $tiny -p -"),
      second);
}

TEST(StandardStreams, AReaderThatLeavesEndsNoRecords) {
  const Shell shell;
  std::string prompts;
  for (int i = 0; i < 9; ++i) prompts += "{\"turns\": [\"one two one two\"]}\n";
  shell.write("p.jsonl", prompts);
  const Outcome outcome = shell.run(
      "$runtime decode -m $tiny -n 20 --prompts p.jsonl --json all.jsonl --quiet | true; "
      "exit ${PIPESTATUS[0]}");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const std::string records = shell.read("all.jsonl");
  EXPECT_EQ(std::count(records.begin(), records.end(), '\n'), 9);
}

/// The first line of the file, which is not JSON, is consumed before: opened by name it would be read again.
TEST(StandardStreams, StandardInputIsAFileOfPrompts) {
  const Shell shell;
  shell.write("in.jsonl", "not JSON\n{\"turns\": [\"to be or not to be\"]}\n");
  shell.write("p.jsonl", "{\"turns\": [\"one two one two\"]}\n");
  ASSERT_EQ(shell.run("ln -s /dev/stdin linked").status, 0);
  for (const std::string name : {"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", "linked"}) {
    for (const std::string command : {
             "\"$runtime\" tokenize -m $tiny --json - --prompts ",
             "\"$runtime\" decode -m $tiny -n 2 --prompts ",
             "\"$runtime\" decode -m $tiny -n 2 --prompt-file ",
             "\"$runtime\" decode -m $tiny -n 2 -p hi --method pld --reference ",
             "\"$data\" traces -m $tiny -n 2 -o S --prompts ",
             "\"$data\" prompts --exclude p.jsonl -o - ",
             "\"$data\" prompts p.jsonl -o - --exclude ",
             "\"$calibrate\" replay -m $tiny -n 2 --method pld --prompts ",
             "\"$calibrate\" layer -m $tiny -n 4 --samples 1 --artifacts a.h5 --prompts ",
         }) {
      const Outcome outcome =
          shell.run(fmt::format("rm -rf S a.h5*; {{ read -r; {}{}; }} < in.jsonl", command, name));
      EXPECT_EQ(outcome.status, 0) << command << name << "\n" << outcome.err;
    }
  }
}

TEST(StandardStreams, StandardInputIsOneInput) {
  const Shell shell;
  shell.write("p.jsonl", "{\"turns\": [\"one two one two\"]}\n");
  for (const char* command :
       {"\"$runtime\" decode -m $tiny -n 2 -p - --method pld --reference -",
        "\"$runtime\" decode -m $tiny -n 2 --prompts - --method pld --reference /dev/stdin",
        "\"$data\" prompts - --exclude - -o made"}) {
    const Outcome outcome = shell.run(std::string(command) + " < p.jsonl");
    EXPECT_EQ(outcome.status, 2) << command;
    EXPECT_NE(outcome.err.find("standard input: expected as one input of a command, found as two"),
              std::string::npos)
        << command << "\n"
        << outcome.err;
  }
}

TEST(StandardStreams, ALimitOnTheSizeOfFilesIsAnErrorAndLeavesWholeRecords) {
  const Shell shell;
  std::string prompts;
  for (int i = 0; i < 10; ++i) prompts += "{\"turns\": [\"hi\"]}\n";
  shell.write("p.jsonl", prompts);
  // Of 1024 bytes each; a record is about as long.
  const Outcome outcome = shell.run(
      "ulimit -f 4; \"$runtime\" decode -m $tiny --prompts p.jsonl -n 8 --quiet --json t.jsonl");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.err, "runtime: --json t.jsonl: cannot write: File too large\n");
  std::istringstream lines(shell.read("t.jsonl"));
  int records = 0;
  for (std::string line; std::getline(lines, line); ++records)
    EXPECT_TRUE(Json::accept(line)) << line;
  EXPECT_GE(records, 1);
  EXPECT_LT(records, 10);
  EXPECT_EQ(shell.read("t.jsonl").back(), '\n');
  const Outcome output = shell.run(
      "ulimit -f 4; \"$runtime\" decode -m $tiny --prompts p.jsonl -n 8 --quiet --json -");
  EXPECT_EQ(output.status, 2);
  EXPECT_NE(output.err.find("cannot write to standard output: File too large"), std::string::npos);
  EXPECT_EQ(output.out.back(), '\n');
}

TEST(StandardStreams, ARefusedRunLeavesTheSummaryOfTheOneBefore) {
  const Shell shell;
  shell.write("p.jsonl", "{\"turns\": [\"hi\"]}\n");
  const std::string traces = "\"$data\" traces -m $tiny --prompts p.jsonl -o S --json sum.json ";
  EXPECT_EQ(shell.run(traces + "-n 4").status, 0);
  const std::string summary = shell.read("sum.json");
  EXPECT_NE(summary, "");
  EXPECT_EQ(shell.run(traces + "-n 5").status, 2);
  EXPECT_EQ(shell.read("sum.json"), summary);
}

}  // namespace
}  // namespace outrider::test

// `runtime serve` as a user meets it: its page's lines, its ends, and mistakes.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "runtime/base/text_file.h"
#include "tests/programs/shell.h"
#include "tests/support/source_path.h"

namespace outrider::test {
namespace {

/// The line of docs/SERVING.md that begins with these words.
std::string line_of_page(const std::string& begin) {
  std::ifstream file(source_path("docs/SERVING.md"));
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("    " + begin)) return line.substr(4);
  ADD_FAILURE() << "docs/SERVING.md has no line that begins with " << begin;
  return "false";
}

/// Bash that starts a server of the tiny model on a free port, with $url and $pid, does something, and ends it.
std::string while_serving(const std::string& flags, const std::string& work) {
  return "\"$runtime\" serve -m $tiny --port 0 " + flags +
         " 2> log & pid=$!; wait_for log 'serve: tiny at' 1; "
         "url=$(sed -n 's/^serve: .* at \\([^,]*\\),.*/\\1/p' log); " +
         work + "; kill -TERM $pid; wait $pid";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from << " in " << text;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(Serve, AnswersTheLineWithCurlOfItsPage) {
  const Shell shell;
  const std::string start = line_of_page("runtime serve");
  EXPECT_EQ(start.rfind("runtime serve -m $MODEL", 0), 0u);
  const std::string curl = replaced(line_of_page("curl "), "http://127.0.0.1:8080", "$url");
  const Outcome outcome = shell.run(while_serving("", curl + " > answer"));
  EXPECT_EQ(outcome.status, 0) << shell.read("log");
  const auto answer = nlohmann::json::parse(shell.read("answer"));
  EXPECT_EQ(answer["object"], "chat.completion") << answer;
  EXPECT_GT(answer["usage"]["completion_tokens"], 0);
  const std::string log = shell.read("log");
  EXPECT_EQ(log.find("sky"), std::string::npos) << "prompts are not logged: " << log;
  EXPECT_NE(log.find("serve: ending"), std::string::npos);
}

TEST(Serve, GivesTheTokensOfDecode) {
  const Shell shell;
  const std::string body =
      R"({"messages": [{"role": "user", "content": "abcabcabc"}], "max_tokens": 20, "seed": 7, )"
      R"("temperature": 0.8, "outrider": {"tokens": true}})";
  shell.write("body.json", body);
  const Outcome outcome = shell.run(
      while_serving("--method pld",
                    "curl -s $url/v1/chat/completions -H 'Content-Type: application/json' -d "
                    "@body.json > answer; \"$runtime\" decode -m $tiny -p abcabcabc -n 20 --seed "
                    "7 --temperature 0.8 --method ar --quiet --json decoded"));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto answer = nlohmann::json::parse(shell.read("answer"));
  const auto decoded = nlohmann::json::parse(shell.read("decoded"));
  nlohmann::json tokens;
  for (const auto& token : answer["outrider"]["texts"][0]["tokens"]) tokens.push_back(token["id"]);
  EXPECT_EQ(tokens, decoded["output_tokens"]);
  EXPECT_EQ(answer["choices"][0]["message"]["content"], decoded["text"]);
  EXPECT_GT(answer["timings"]["draft_n"], 0);
}

TEST(Serve, KeysComeFromAFile) {
  const Shell shell;
  shell.write("keys.txt", "first\r\n\nsecond\n");
  const Outcome outcome = shell.run(
      while_serving("--api-key-file keys.txt",
                    "for key in first second third; do curl -s -o /dev/null -w '%{http_code} ' -H "
                    "\"x-api-key: $key\" $url/v1/models; done"));
  EXPECT_EQ(outcome.out, "200 200 401 ");
}

TEST(Serve, UnknownFieldsAreNamedOnce) {
  const Shell shell;
  const std::string ask =
      "curl -s -o /dev/null $url/v1/completions -H 'Content-Type: application/json' "
      "-d '{\"prompt\": \"a\", \"max_tokens\": 1, \"made_up\": 1}'";
  ASSERT_EQ(shell.run(while_serving("", ask + "; " + ask)).status, 0);
  const std::string log = shell.read("log"), line = "unknown field ignored: \"made_up\"\n";
  const std::size_t at = log.find(line);
  ASSERT_NE(at, std::string::npos) << log;
  EXPECT_EQ(log.find(line, at + 1), std::string::npos) << log;
}

/// Flags of scripts/check_serving for a short run with the tiny model, of two clients.
constexpr const char* kShortCheck =
    " -m $tiny --minutes 0.05 --clients 2 --texts 2 -n 8 --methods ar pld context-ngram "
    "--cache-bytes 4000000 --leeway 300000000 --json found.json";

TEST(CheckServing, AnswersUnderLoadAreThoseOfDecode) {
  const Shell shell;
  const Outcome outcome = shell.run("\"$source/scripts/check_serving\" --runtime \"$runtime\"" +
                                    std::string(kShortCheck));
  ASSERT_EQ(outcome.status, 0) << outcome.err << outcome.out;
  const auto found = nlohmann::json::parse(shell.read("found.json"));
  EXPECT_GT(found["counts"]["texts"], 0);
  EXPECT_GT(found["counts"]["answers in JSON"], 0);
  EXPECT_EQ(found["counts"]["kills of the server"], 1);
  EXPECT_EQ(found["problems"], nlohmann::json::array());
  EXPECT_GT(found["cache_most"], 0);
  EXPECT_LE(found["cache_most"], 4'000'000);
}

TEST(CheckServing, ADifferentTextIsAProblem) {
  const Shell shell;
  // A server whose texts are others, where decode's are as ever.
  shell.write_wrapper("other", "runtime", "[ $1 = serve ] && set -- \"$@\" --system other");
  const Outcome outcome =
      shell.run("\"$source/scripts/check_serving\" --runtime ./other --decode \"$runtime\"" +
                std::string(kShortCheck));
  EXPECT_EQ(outcome.status, 1) << outcome.out;
  EXPECT_NE(outcome.err.find("sample 0: expected ["), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.out.find(" problems"), std::string::npos);
}

TEST(ServeFigures, PrintsEveryTable) {
  const Shell shell;
  shell.write("prompts.jsonl",
              "{\"id\": \"a\", \"task\": \"code_editing\", \"turns\": [\"abcabc\"]}\n"
              "{\"id\": \"b\", \"turns\": [\"a list\"]}\n");
  // Takes llama-server's flags.
  shell.write_wrapper("llama-server", "runtime",
                      "[ \"$3\" = --host ] && [ \"${*: -2:1}\" = --port ] || exit 2\n"
                      "set -- serve -m \"$2\" --port \"${*: -1}\" --method ar");
  const Outcome outcome = shell.run(
      "\"$source/scripts/serve_figures\" --llama . -m $endless --bin \"$(dirname \"$runtime\")\" "
      "--prompts "
      "prompts.jsonl -r 1 -n 8 --texts 2 --clients 2 4 --serve '--method pld' --json found.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err << outcome.out;
  for (const char* table : {"one client, over runtime decode: after the first token ",
                            "clients  tokens/s  without drafts  ratio",
                            "copying prompts, 4 clients: ", "\n4        llama.cpp  "})
    EXPECT_NE(outcome.out.find(table), std::string::npos) << table << outcome.out;
  EXPECT_NE(outcome.err.find("minutes at most"), std::string::npos) << outcome.err;
  const auto round = nlohmann::json::parse(shell.read("found.json"))["rounds"][0];
  for (const auto& point : {round["one"], round["clients"]["2"]["drafts"],
                            round["clients"]["2"]["plain"], round["copying"]["drafts"]}) {
    EXPECT_GT(point["tokens_per_second"], 0) << round;
    EXPECT_GT(point["first_seconds"], 0) << round;
  }
  EXPECT_GT(round["clients"]["4"]["drafts"]["predicted"], 0) << "by quick costs";
}

TEST(Serve, MistakesAreNamed) {
  const Shell shell;
  const auto refused = [&](const std::string& flags, const std::string& message) {
    const Outcome outcome = shell.run("\"$runtime\" serve -m $tiny --port 0 " + flags);
    EXPECT_EQ(outcome.status, 2) << flags;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
  };
  refused("--host 0.0.0.0", "give --api-key-file, or --no-auth");
  refused("--api-key ''", "--api-key: expected a key");
  shell.write("empty.txt", "\n\n");
  refused("--api-key-file empty.txt", "has no key, expected one a line");
  refused("--api-key-file missing.txt", "missing.txt");
  refused("--method ssd --verify rejection", "--allow-rejection");
  refused("--metrics-prefix 9a", "--metrics-prefix: expected letters");
  refused("--queue 0", "--queue");
  refused("--host nowhere.invalid", "--host: expected an address");
}

}  // namespace
}  // namespace outrider::test

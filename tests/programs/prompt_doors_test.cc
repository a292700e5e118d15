// One text has the same ids by whatever door it comes.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/programs/shell.h"

namespace outrider::test {
namespace {

using Json = nlohmann::json;

TEST(PromptDoors, GiveTheSameIds) {
  const Shell shell;
  // Spaces at both ends, a tab, what looks like a special token, a letter of two characters, lines that end in two ways.
  const std::string text = "  say <|im_end|>\tCafe\u0301\r\nand <end>\n again  ";
  shell.write("prompt.txt", text + "\n");  // as editors end files: not a part of the text
  shell.write("turns.jsonl", Json{{"turns", {text}}}.dump() + "\n");
  shell.write("messages.jsonl",
              Json{{"messages", {{{"role", "user"}, {"content", text}}}}}.dump() + "\n");
  const auto decoded = [&](const std::string& door) {
    const Outcome outcome = shell.run("\"$runtime\" decode -m $tiny -n 6 --quiet --json - " + door);
    EXPECT_EQ(outcome.status, 0) << door << "\n" << outcome.err;
    return outcome.status == 0 ? Json::parse(outcome.out) : Json();
  };
  const Json expected = decoded("--prompts turns.jsonl");
  const Json& ids = expected["prompt_tokens"];
  EXPECT_GT(ids.size(), 20u);
  for (const char* door :
       {"--prompts messages.jsonl", "--prompt-file prompt.txt", "-p - < prompt.txt",
        "--prompt \"$(cat prompt.txt)\"", "-p - <<< \"$(cat prompt.txt)\""})
    EXPECT_EQ(decoded(door)["prompt_tokens"], ids) << door;
  // A server tells the text and how many tokens it read.
  const Outcome served = shell.run(
      "\"$runtime\" serve -m $tiny --port 0 2> log & pid=$!; wait_for log 'serve: tiny at' 1; "
      "url=$(sed -n 's/^serve: .* at \\([^,]*\\),.*/\\1/p' log); "
      "jq -c '. + {max_tokens: 6, temperature: 0}' messages.jsonl | "
      "curl -s --data-binary @- -H 'Content-Type: application/json' "
      "$url/v1/chat/completions; kill $pid; wait $pid");
  ASSERT_EQ(served.status, 0) << served.err;
  const Json answer = Json::parse(served.out);
  EXPECT_EQ(answer["usage"]["prompt_tokens"], ids.size()) << answer;
  EXPECT_EQ(answer["choices"][0]["message"]["content"], expected["text"]) << answer;
}

TEST(PromptDoors, GiveAPastedTextTheSameAnswer) {
  const Shell shell;
  const std::string text = "  say <|im_end|>\tthis\nand that  ";
  shell.write("turns.jsonl", Json{{"turns", {text}}}.dump() + "\n");
  shell.write("pasted.txt", text);
  // Letters only, which a terminal shows as they are.
  const std::string flags =
      "-m $tiny -n 12 --method ar --logit-bias $(\"$runtime\" tokenize -m $tiny -p "
      "abcdefghijklmnopqrstuvwxyz | tr -d , | sed -E 's/([0-9]+)/\\1=1000/g')";
  const Outcome decoded =
      shell.run("\"$runtime\" decode " + flags + " --prompts turns.jsonl --quiet --json -");
  ASSERT_EQ(decoded.status, 0) << decoded.err;
  const std::string answer = Json::parse(decoded.out)["text"];
  EXPECT_EQ(answer.find_first_not_of("abcdefghijklmnopqrstuvwxyz"), std::string::npos) << answer;
  const Outcome typed = shell.run(
      "rm -f talk; flags=\"" + flags +
      "\"; { wait_for talk '> ' 1; printf '\\033[200~'; cat pasted.txt; printf '\\033[201~\\n'; "
      "wait_for talk '> ' 2; printf '\\004'; sleep 0.2; } | "
      "script -qfec \"$runtime decode $flags\" talk");
  EXPECT_EQ(typed.status, 0) << typed.out;
  EXPECT_NE(typed.out.find(answer), std::string::npos) << answer << "\n" << typed.out;
}

}  // namespace
}  // namespace outrider::test

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "tests/cli/shell.h"

namespace outrider::test {
namespace {

using Json = nlohmann::json;

constexpr const char* kCopying =
    "decode -m \\\"$real\\\" -n 40 --quiet -p 'Café notes: the red fox and the grey owl met at the "
    "old mill in Brno. Copy the sentence: the red fox and the grey owl met at the old mill in "
    "Brno.'";

/// Runs `runtime` with the copying prompt.
Outcome copy(const Shell& shell, const std::string& flags) {
  return shell.run("eval \"\\\"$runtime\\\" " + std::string(kCopying) + " " + flags + "\"");
}

TEST(AttributionInRecords, NamesTheSameWordsInBothTexts) {
  const Shell shell;
  int spans = 0;
  for (const std::string method : {"pld --ngram 2", "pld-plus-h --layer 12"}) {
    const Outcome outcome = copy(shell, "--json - --attribute --min-span 4 --method " + method);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const Json record = Json::parse(outcome.out);
    EXPECT_EQ(record["min_span"], 4);
    const std::string prompt = record["prompt_text"], text = record["text"];
    const Json &asked = record["prompt_tokens"], &said = record["output_tokens"];
    // The prompt's one letter of two bytes stands before all that is copied, the answer has none.
    const std::size_t wide = prompt.find("é");
    ASSERT_EQ(wide, prompt.rfind("é"));
    for (const Json& span : record["attribution"]) {
      ++spans;
      const std::size_t begin = span["output_begin"], end = span["output_end"];
      const std::size_t source = span["source_begin"];
      ASSERT_GE(end, begin + 4);
      ASSERT_EQ(span["source_end"], source + end - begin);
      for (std::size_t i = begin; i < end; ++i) ASSERT_EQ(said[i], asked[source + i - begin]);
      const std::size_t from = span["source_text_begin"], to = span["source_text_end"];
      ASSERT_GT(from, wide);
      const std::size_t text_begin = span["text_begin"], text_end = span["text_end"];
      // An end of turn can be copied too; the text does not show it.
      const std::string source_text = prompt.substr(from + 1, to - from);
      EXPECT_EQ(source_text.substr(0, source_text.find("<|im_end|>")),
                text.substr(text_begin, text_end - text_begin));
    }
  }
  EXPECT_GE(spans, 2);
}

TEST(AttributionOnATerminal, ColoursWhatTheRecordNames) {
  const Shell shell;
  const std::string flags = "--method pld --ngram 2 --attribute --min-span 4 ";
  const Json record = Json::parse(copy(shell, flags + "--json -").out);
  ASSERT_GE(record["attribution"].size(), 1u);
  const Outcome shown = shell.run("script -qec \"\\\"$runtime\\\" " + std::string(kCopying) + " " +
                                  flags + "\" typed > /dev/null; cat typed");
  std::string coloured;
  for (const Json& span : record["attribution"]) {
    const std::size_t begin = span["text_begin"], end = span["text_end"];
    coloured += record["text"].get<std::string>().substr(begin, end - begin) + "|";
  }
  std::string found;
  const std::regex stretch("\x1b\\[3[1-6]m([^\x1b]*)");
  for (std::sregex_iterator i(shown.out.begin(), shown.out.end(), stretch), none; i != none; ++i)
    found += (*i)[1].str() + "|";
  EXPECT_EQ(found, coloured);
  const std::string bare = std::regex_replace(shown.out, std::regex("\x1b\\[[0-9]+m"), "");
  EXPECT_NE(bare.find(record["text"].get<std::string>()), std::string::npos) << bare;
}

TEST(AttributionOnATerminal, IsNotSilentlyLeftOut) {
  const Shell shell;
  for (const auto& [flags, message] :
       {std::pair<std::string, std::string>{"--attribute",
                                            "--attribute: expected --json FILE, or a terminal"},
        {"--attribute --json - --method context-ngram",
         "--attribute: not used by --method context-ngram, only by pld, pld-plus-h, pld-plus-a"},
        {"--min-span 3", "--min-span: only with --attribute"}}) {
    const Outcome outcome = shell.run("\"$runtime\" decode -m $tiny -p hi " + flags);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
  }
}

}  // namespace
}  // namespace outrider::test

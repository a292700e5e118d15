#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/programs/shell.h"

namespace outrider::test {
namespace {

using Json = nlohmann::json;

/// What was written to a terminal: stretches of text, each after the number of the escape "ESC [ n m"
/// before it; 0 before the first.
std::vector<std::pair<int, std::string>> painted(const std::string& text) {
  std::vector<std::pair<int, std::string>> stretches = {{0, ""}};
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text.compare(at, 2, "\x1b[") != 0) {
      stretches.back().second += text[at];
      continue;
    }
    const std::size_t end = text.find('m', at);
    if (end == std::string::npos) break;
    stretches.emplace_back(std::stoi(text.substr(at + 2, end - at - 2)), "");
    at = end;
  }
  return stretches;
}

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
    const Json &asked = record["prompt_tokens"], &generated = record["output_tokens"];
    // The prompt's one letter of two bytes precedes all that is copied; the answer has none.
    const std::size_t wide = prompt.find("é");
    ASSERT_EQ(wide, prompt.rfind("é"));
    for (const Json& span : record["attribution"]) {
      ++spans;
      const std::size_t begin = span["output_begin"], end = span["output_end"];
      const std::size_t source = span["source_begin"];
      ASSERT_GE(end, begin + 4);
      ASSERT_EQ(span["source_end"], source + end - begin);
      for (std::size_t i = begin; i < end; ++i) ASSERT_EQ(generated[i], asked[source + i - begin]);
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
  std::string found, bare;
  for (const auto& [colour, words] : painted(shown.out)) {
    if (colour >= 31 && colour <= 36) found += words + "|";
    bare += words;
  }
  EXPECT_EQ(found, coloured);
  EXPECT_NE(bare.find(record["text"].get<std::string>()), std::string::npos) << bare;
}

TEST(AttributionOnATerminal, IsNotSilentlyLeftOut) {
  const Shell shell;
  for (const auto& [flags, message] :
       {std::pair<std::string, std::string>{"--attribute",
                                            "--attribute: expected --json FILE, or a terminal"},
        {"--attribute --json - --method context-ngram",
         "--attribute: not used by --method context-ngram, only by auto, pld, pld-plus-h, "
         "pld-plus-a"},
        {"--min-span 3", "--min-span: only with --attribute"}}) {
    const Outcome outcome = shell.run("\"$runtime\" decode -m $tiny -p hi " + flags);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
  }
}

// Of prompt lookup the score follows from the text alone, whatever the model: letters are tokens of the
// tiny model, and no letter of the sources occurs before its position there.
Json scores(const Shell& shell, const std::string& reference, const std::string& flags) {
  const Json record = {
      {"id", "one"},
      {"turns",
       {"Put copies in brackets. JKLMNOPQRSTUVWX\n\nSource 1 (a): dfghjklmpvwxyz\n\n"
        "Source 2 (b): DFGHJKLMPVWXYZ\n\nQuestion: 0?"}},
      {"reference", reference}};
  shell.write("marked.jsonl", record.dump() + "\n");
  const Outcome outcome = shell.run(
      "\"$calibrate\" attribute -m $tiny --prompts marked.jsonl --quiet --json scores.json "
      "--method "
      "pld --published --ngram 1 --draft-length 2 --chat raw " +
      flags);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return Json::parse(shell.read("scores.json"))["scores"];
}

TEST(AttributeCommand, ScoresWhatPromptLookupMustCopy) {
  const Shell shell;
  // Pass by pass (its own letter in capitals): D, fgH, jkL, mpV; then G, hjK, lmP, v. The first letter
  // is never drafted, but a draft continues it; the last is the target's own if no draft continues after it: 9 and 8.
  const Json found =
      scores(shell, "7[ 1 dfghjklmpv ]8[ 2 GHJKLMPV ]9", "--spans 1 9 --instruction 0");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0]["gold_tokens"], 18);
  EXPECT_EQ(found[0]["predicted_tokens"], 17);
  EXPECT_EQ(found[0]["precision"], 1);
  EXPECT_EQ(found[0]["spans"], 2);
  EXPECT_EQ(found[0]["spans_of_right_source"], 2);
  EXPECT_EQ(found[1]["min_span"], 9);
  EXPECT_EQ(found[1]["predicted_tokens"], 9);
  EXPECT_EQ(found[1]["spans_of_right_source"], 1);
  // The wrong source, and what is copied without a mark.
  const Json other = scores(shell, "7[ 2 dfghjklmpv ]8GHJKLMPV9", "--spans 2 --instruction 0");
  EXPECT_EQ(other[0]["predicted_tokens"], 17);
  EXPECT_EQ(other[0]["gold_tokens"], 10);
  EXPECT_EQ(other[0]["precision"], 9.0 / 17);
  EXPECT_EQ(other[0]["spans_of_right_source"], 0);
}

TEST(AttributeCommand, TheInstructionIsReplaced) {
  const Shell shell;
  const std::string copies_it = "[ 1 dfgh ]KLMNOPQRSTU";
  EXPECT_EQ(scores(shell, copies_it, "--spans 5")[0]["predicted_tokens"], 0);
  const Json kept = scores(shell, copies_it, "--spans 5 --instruction JKLMNOPQRSTUVWX");
  EXPECT_EQ(kept[0]["predicted_tokens"], 9);  // K to S: nothing is drafted for the last token
  EXPECT_EQ(kept[0]["precision"], 0);
}

TEST(AttributeCommand, NamesWhatIsMissing) {
  const Shell shell;
  shell.write("plain.jsonl", "{\"turns\": [\"hi\"], \"reference\": \"[ 1 hi ]\"}\n");
  for (const auto& [flags, message] :
       {std::pair<std::string, std::string>{"--method pld",
                                            "plain.jsonl: found no record of one turn with lines"},
        {"--method ar", "--method: expected auto, pld, pld-plus-h, pld-plus-a"},
        {"--method pld --layer 2", "--layer: not used by --method pld, only by pld-plus-h"},
        {"--method pld --spans 0", "--spans: "}}) {
    const Outcome outcome =
        shell.run("\"$calibrate\" attribute -m $tiny --prompts plain.jsonl " + flags);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
  }
}

}  // namespace
}  // namespace outrider::test

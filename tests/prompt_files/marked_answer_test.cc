#include "runtime/prompt_files/marked_answer.h"

#include <gtest/gtest.h>

#include <random>

namespace outrider::text {
namespace {

using Spans = std::vector<std::pair<int, std::string>>;

/// Sources and the text of each span.
Spans spans_of(const std::vector<SourceSpan>& spans, const std::string& text) {
  Spans all;
  for (const SourceSpan& span : spans)
    all.emplace_back(span.source, text.substr(span.begin, span.end - span.begin));
  return all;
}

void expect(const std::string& marked, const std::string& text, const Spans& spans) {
  const MarkedAnswer answer = read_marked_answer(marked);
  EXPECT_EQ(answer.text, text);
  EXPECT_EQ(spans_of(answer.spans, answer.text), spans) << marked;
}

TEST(MarkedAnswer, AnnotationsAreRemovedAndReturned) {
  expect("It is [ 2 a bird ] . [ 10 Or not. ]", "It is a bird . Or not.",
         {{2, "a bird"}, {10, "Or not."}});
  expect("t [ 3 he Second ][ 3 refer ] s", "t he Secondrefer s", {{3, "he Second"}, {3, "refer"}});
  expect("no marks", "no marks", {});
  expect("", "", {});
}

TEST(MarkedAnswer, OtherBracketsArePartOfTheText) {
  expect("a[0] = [1, 2] [ x ] [ 1] [ 3 not closed", "a[0] = [1, 2] [ x ] [ 1] [ 3 not closed", {});
  expect("[ one ] [ 1 two ]", "[ one ] two", {{1, "two"}});
  expect("[ 1 ]", "[ 1 ]", {});
}

TEST(MarkedAnswer, RandomAnnotationsAreFound) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    std::string marked, text;
    Spans spans;
    for (int piece = 0; piece < 6; ++piece) {
      const std::string words = "w" + std::to_string(random() % 1000);
      if (random() % 2 == 0) {
        const int source = static_cast<int>(random() % 20);
        marked += "[ " + std::to_string(source) + " " + words + " ]";
        spans.emplace_back(source, words);
      } else {
        marked += words;
      }
      text += words;
    }
    expect(marked, text, spans);
  }
}

TEST(MarkedAnswer, SourcesExtendToTheNextOrTheQuestion) {
  const std::string prompt =
      "Combine Source 1 (of two).\n\nSource 1 (A): one\nmore\n\nSource 12 (B): two\nQuestion: "
      "what?\n"
      "Source 3 (C): three";
  EXPECT_EQ(spans_of(find_sources(prompt), prompt), (Spans{{1, "Source 1 (A): one\nmore\n\n"},
                                                           {12, "Source 12 (B): two\n"},
                                                           {3, "Source 3 (C): three"}}));
  EXPECT_TRUE(find_sources("Source one (A): x\nThe Source 1 (B): y\n").empty());
}

}  // namespace
}  // namespace outrider::text

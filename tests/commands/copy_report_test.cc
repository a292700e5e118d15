#include "runtime/commands/copy_report.h"

#include <gtest/gtest.h>

namespace outrider {
namespace {

/// Two layers of two heads, two tasks.
artifacts::CopyHeads some_heads() {
  artifacts::CopyHeads found;
  found.layers = found.heads = 2;
  found.tasks = {"news", "code"};
  found.tokens = {100, 10, 300, 40};
  found.hits = {
      10,  20, 40,  30,  // news, ranked by
      0,   1,  2,   10,  //
      110, 20, 240, 0,   // news, tried on
      0,   4,  8,   40,
  };
  found.sweep_heads = {1, 4};
  found.sweep = {1.25, 1.375, 1.5, 1.625};
  found.layer_sweep = {2.125, 2.25, 3.125, 3.25};
  found.draft_length = 7;
  found.chosen = 4;
  found.aggregation = "sum";
  return found;
}

void expect_holds(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n" << text;
}

TEST(CopyReport, ShowsWhatWasCountedOfEachTask) {
  const std::string text = copy_heads_text(some_heads());
  expect_holds(
      text,
      "\nnews            100        300        2:0 70.0 %  1:0 30.0 %  1:1 10.0 %  2:1 7.5 %\n");
  expect_holds(
      text,
      "\ncode            10         40         2:1 100.0 %  2:0 20.0 %  1:1 10.0 %  1:0 0.0 %\n");
  expect_holds(
      text,
      "\nall             110        340        2:0 64.4 %  1:0 26.7 %  2:1 17.8 %  1:1 10.0 %\n");
}

TEST(CopyReport, ShowsNumbersOfHeadsAndWholeLayersByTheLargestAndByTheSum) {
  const std::string text = copy_heads_text(some_heads());
  expect_holds(text,
               "drafts of 7\n"
               "heads         max     sum\n"
               "1             1.250   1.375\n"
               "4             1.500   1.625\n"
               "chosen: 4 heads, sum\n\n"
               "all of layer  max     sum\n"
               "1             2.125   2.250\n"
               "2             3.125   3.250\n");
}

}  // namespace
}  // namespace outrider

#include "runtime/report/pld_plus_report.h"

#include <gtest/gtest.h>

namespace outrider {
namespace {

/// Two layers of two heads, two tasks.
draft::PldPlusHeads some_heads() {
  draft::PldPlusHeads found;
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
  const std::string text = report::pld_plus_heads_text(some_heads());
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
  const std::string text = report::pld_plus_heads_text(some_heads());
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

TEST(CopyReport, ShowsWhatWeightsOfLogitsGave) {
  draft::PldPlusLayer found;
  found.by_layer = {1, 2, 1};
  found.chosen = 1;
  found.by_layer_at = found.by_layer;
  found.temperatures = {{0.5}};
  found.logit_weights = {0, 0.005, 0.01};
  found.by_logit_weight = {2, 2.5, 2.25};
  found.by_logit_weight_at = {3, 3.5, 3.25};
  found.logit_weight = 0.005;
  const std::string text = report::pld_plus_layer_text(found);
  const std::string long_bar(41, '#'), half_bar(21, '#');
  expect_holds(text,
               "\nweights of logits added to the cosine of layer 1\nweight  tokens per pass\n"
               "0       2.000 #\n0.005   2.500 " +
                   long_bar + "\n0.01    2.250 " + half_bar + "\nchosen: weight 0.005\n\n");
  expect_holds(text, "weight  tokens per pass\n0       3.000 #\n0.005   3.500 " + long_bar);
}

}  // namespace
}  // namespace outrider

#include "calibrate/report/pld_plus_plots.h"

#include <gtest/gtest.h>

namespace outrider::calibrate {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t number = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++number;
  return number;
}

TEST(CopyPlots, HeadsHaveAMapAndCurvesOverNumbersAndLayers) {
  draft::PldPlusHeads found;
  found.layers = found.heads = 2;
  found.tasks = {"t"};
  found.tokens = {50, 50};
  found.hits = {10, 20, 30, 0, 0, 0, 1, 0};
  found.sweep_heads = {1, 2, 4};
  found.sweep = {1, 2, 1.5, 2, 2, 1.5};
  found.layer_sweep = {3, 5, 5, 4};
  found.draft_length = 7;
  found.chosen = 2;
  found.aggregation = "sum";
  found.temperatures = {{0.5}};
  found.sweep_at = {1.25, 1, 1, 1.5, 1.5, 1};
  const std::string svg = plot_of(found);
  EXPECT_EQ(count(svg, "<rect"), 4U);
  EXPECT_NE(svg.find(">31.0<"), std::string::npos) << svg;
  // Four lines over heads, and two over layers.
  EXPECT_EQ(count(svg, "<polyline"), 6U);
  for (const char* line :
       {"points=\"60.0,290.0 270.0,170.0 480.0,50.0 \"",
        "points=\"60.0,50.0 270.0,50.0 480.0,170.0 \"", "points=\"60.0,290.0 480.0,50.0 \"",
        "points=\"60.0,50.0 480.0,170.0 \""})
    EXPECT_NE(svg.find(line), std::string::npos) << line << "\n" << svg;
  for (const char* words : {">heads with the most hits, drafts of 7; chosen: 2 heads, sum<",
                            ">all heads of one layer, drafts of 7<", ">heads<", ">layer<", ">max<",
                            ">sum<", ">tokens per pass<", ">max, temperature 0.5<"})
    EXPECT_NE(svg.find(words), std::string::npos) << words;
}

TEST(CopyPlots, LayersHaveCurvesOverLayersMeansAndWeights) {
  draft::PldPlusLayer found;
  found.by_layer = {1, 3, 2};
  found.by_mean = {3, 1};
  found.draft_length = 7;
  found.chosen = 1;
  found.temperatures = {{0.5}};
  found.by_layer_at = {3, 1, 2};
  found.logit_weights = {0, 1};
  found.by_logit_weight = {1, 3};
  found.by_logit_weight_at = {2, 1};
  found.logit_weight = 1;
  const std::string svg = plot_of(found);
  EXPECT_EQ(count(svg, "<polyline"), 5U);
  for (const char* line :
       {"points=\"60.0,290.0 270.0,50.0 480.0,170.0 \"", "points=\"60.0,50.0 480.0,290.0 \""})
    EXPECT_NE(svg.find(line), std::string::npos) << line << "\n" << svg;
  for (const char* words :
       {">states of one layer, drafts of 7; chosen: 1<",
        ">means of states of layer 1, drafts of 7<", ">last positions averaged<", ">all answers<",
        ">temperature 0.5<", ">logits added to states of layer 1, drafts of 7; chosen: 1<",
        ">weight of a logit<", "points=\"60.0,290.0 480.0,50.0 \"",
        "points=\"60.0,170.0 480.0,290.0 \""})
    EXPECT_NE(svg.find(words), std::string::npos) << words << "\n" << svg;
}

}  // namespace
}  // namespace outrider::calibrate

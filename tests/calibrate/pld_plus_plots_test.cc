#include "calibrate/commands/pld_plus_plots.h"

#include <gtest/gtest.h>

namespace outrider::calibrate {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t number = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++number;
  return number;
}

/// Three lengths; tokens per pass fall and tokens per second rise.
draft::PldPlusSettings settings_of(std::vector<double> thresholds) {
  draft::PldPlusSettings settings;
  settings.temperature = 0.5;
  settings.context = 321;
  settings.draft_lengths = {1, 10, 100};
  for (int length = 0; length < 3; ++length)
    for (std::size_t h = 0; h < thresholds.size(); ++h) {
      settings.tokens_per_pass.push_back(h == 0 ? 9 - length : 5);
      settings.tokens_per_second.push_back(h == 0 ? 70 + length : 70.5);
    }
  settings.thresholds = std::move(thresholds);
  return settings;
}

// Three points by their logarithm, from the top and from the bottom.
constexpr const char* kFalling = "points=\"60.0,50.0 270.0,110.0 480.0,170.0 \"";
constexpr const char* kRising = "points=\"60.0,290.0 270.0,170.0 480.0,50.0 \"";

TEST(CopyPlots, HeadsHaveAMapAndCurvesOverNumbersLayersAndLengths) {
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
  found.settings = {settings_of({-1})};
  found.sweep_at = {1.25, 1, 1, 1.5, 1.5, 1};
  const std::string svg = plot_of(found);
  EXPECT_EQ(count(svg, "<rect"), 4U);
  EXPECT_NE(svg.find(">31.0<"), std::string::npos) << svg;
  // Four lines over heads, two over layers, and one each over lengths.
  EXPECT_EQ(count(svg, "<polyline"), 8U);
  for (const char* line :
       {"points=\"60.0,290.0 270.0,170.0 480.0,50.0 \"",
        "points=\"60.0,50.0 270.0,50.0 480.0,170.0 \"", "points=\"60.0,290.0 480.0,50.0 \"",
        "points=\"60.0,50.0 480.0,170.0 \""})
    EXPECT_NE(svg.find(line), std::string::npos) << line << "\n" << svg;
  EXPECT_EQ(count(svg, kRising), 2U);
  for (const char* words : {">heads with the most hits, drafts of 7; chosen: 2 heads, sum<",
                            ">all heads of one layer, drafts of 7<", ">heads<", ">layer<", ">max<",
                            ">sum<", ">tokens per pass<", ">most tokens of a draft<",
                            ">2 heads, sum, temperature 0.5, after 321 tokens<",
                            ">max, temperature 0.5<", ">predicted tokens per second<"})
    EXPECT_NE(svg.find(words), std::string::npos) << words;
}

TEST(CopyPlots, LayersHaveCurvesOverLayersMeansLengthsAndThresholds) {
  draft::PldPlusLayer found;
  found.by_layer = {1, 3, 2};
  found.by_mean = {3, 1};
  found.draft_length = 7;
  found.chosen = 1;
  found.settings = {settings_of({-1, 0.5})};
  found.by_layer_at = {3, 1, 2};
  const std::string svg = plot_of(found);
  EXPECT_EQ(count(svg, "<polyline"), 7U);
  for (const char* line : {"points=\"60.0,290.0 270.0,50.0 480.0,170.0 \"",
                           "points=\"60.0,50.0 480.0,290.0 \"", kFalling, kRising})
    EXPECT_NE(svg.find(line), std::string::npos) << line << "\n" << svg;
  for (const char* words :
       {">states of one layer, drafts of 7; chosen: 1<",
        ">means of states of layer 1, drafts of 7<", ">last positions averaged<", ">all answers<",
        ">temperature 0.5<", ">no threshold<", ">threshold 0.5<"})
    EXPECT_NE(svg.find(words), std::string::npos) << words;
  found.logit_weights = {0, 1};
  found.by_logit_weight = {1, 3};
  found.by_logit_weight_at = {2, 1};
  found.logit_weight = 1;
  const std::string weighed = plot_of(found);
  EXPECT_EQ(count(weighed, "<polyline"), 9U);
  for (const char* words :
       {">logits added to states of layer 1, drafts of 7; chosen: 1<", ">weight of a logit<",
        "points=\"60.0,290.0 480.0,50.0 \"", "points=\"60.0,170.0 480.0,290.0 \""})
    EXPECT_NE(weighed.find(words), std::string::npos) << words << "\n" << weighed;
  found.logit_weights.clear();  // as in files of old
  found.by_mean.clear();
  EXPECT_EQ(count(plot_of(found), "<polyline"), 6U);
}

}  // namespace
}  // namespace outrider::calibrate

// Groups that older versions wrote, which tests/golden/make_older_artifacts copied from files that were shipped.

#include <gtest/gtest.h>

#include "runtime/artifacts/artifact_file.h"
#include "runtime/artifacts/cost.h"
#include "runtime/artifacts/draft_settings.h"
#include "runtime/artifacts/ngrammys.h"
#include "runtime/artifacts/pld_plus.h"
#include "tests/support/source_path.h"

namespace outrider::artifacts {
namespace {

ArtifactFile older_file(const std::string& name) {
  return ArtifactFile(test::source_path("tests/golden/older_artifacts/" + name));
}

class OneTemperature : public testing::Test {
 protected:
  const ArtifactFile file_ = older_file("one_temperature.h5");
};

TEST_F(OneTemperature, HasGroupsThatNameWhatMadeThem) {
  EXPECT_EQ(file_.target().layers, 30);
  ASSERT_EQ(file_.groups().size(), 4U);
  for (const std::string& group : file_.groups())
    EXPECT_TRUE(read_provenance(file_.reader(), group).date.starts_with("2026-11-21T")) << group;
}

TEST_F(OneTemperature, OfHeadsIsForAll) {
  const draft::PldPlusHeads found = read_pld_plus_heads(file_.reader(), kPldPlusHeads);
  EXPECT_EQ(found.chosen, 20);
  EXPECT_TRUE(found.sweep_at.empty());
  ASSERT_EQ(found.settings.size(), 1U);
  EXPECT_FALSE(found.settings[0].temperature);
  EXPECT_FALSE(found.settings[0].by_step);
  EXPECT_EQ(found.settings[0].draft_length, 1);
  EXPECT_EQ(found.settings[0].tokens_per_second.at(0), 138.15189537488797);
}

TEST_F(OneTemperature, OfALayerIsForAll) {
  const draft::PldPlusLayer found = read_pld_plus_layer(file_.reader(), kPldPlusLayer);
  EXPECT_EQ(found.chosen, 23);
  EXPECT_EQ(found.by_layer.size(), 31U);
  EXPECT_TRUE(found.by_layer_at.empty());
  EXPECT_TRUE(found.logit_weights.empty());
  EXPECT_EQ(found.logit_weight, 0);
  ASSERT_EQ(found.settings.size(), 1U);
  EXPECT_EQ(found.settings[0].draft_length, 3);
  EXPECT_EQ(found.settings[0].threshold, 0.75);
}

TEST_F(OneTemperature, OfAGridIsForAll) {
  const auto grids = read_ngrammys_grids(
      file_.reader(), "/ngrammys_grid/Intel-R-Xeon-R-Processor-family-6-model-207-2-cores");
  ASSERT_EQ(grids.size(), 1U);
  EXPECT_FALSE(grids[0].temperature);
  EXPECT_EQ(grids[0].best().drafts, 1);
  EXPECT_EQ(grids[0].best().draft_length, 3);
  EXPECT_EQ(grids[0].best().tokens_per_second, 271.04798552018514);
}

TEST_F(OneTemperature, CostsAreOfPassesOnly) {
  const cost::MachineCost measured =
      read_cost(file_.reader(), "/cost/Intel-R-Xeon-R-Processor-family-6-model-207-2-cores");
  EXPECT_EQ(measured.passes.size(), 2U);  // of one thread, and of two
  EXPECT_TRUE(measured.model(1).has_value());
  EXPECT_TRUE(measured.drafters.drafters.empty());
}

TEST(OlderNames, OfCountsAreRead) {
  const ArtifactFile file = older_file("older_names.h5");
  ASSERT_TRUE(file.reader().has("/pld_plus/heads/settings/0/by_step/said"));
  const draft::PldPlusHeads heads = read_pld_plus_heads(file.reader(), kPldPlusHeads);
  ASSERT_EQ(heads.settings.size(), 2U);
  EXPECT_EQ(heads.settings[1].temperature, 1);
  EXPECT_EQ(heads.settings[0].by_step.value().sources.at(0), 715);
  EXPECT_EQ(heads.settings[0].by_step.value().accepted.at(0), 122);
  const draft::PldPlusLayer layer = read_pld_plus_layer(file.reader(), kPldPlusLayer);
  EXPECT_EQ(layer.logit_weight, 0.02);
  ASSERT_EQ(layer.settings.size(), 2U);
  EXPECT_EQ(layer.settings[0].by_step.value().tokens_per_second, 802.51451873325584);
  EXPECT_EQ(layer.settings[1].by_step.value().sources.at(0), 2850);
}

TEST(OlderNames, DraftSettingsNameNoInstructionSet) {
  const ArtifactFile file = older_file("older_names.h5");
  const std::string group = std::string(kDraftSettings) + "/AMD-EPYC-family-26-model-2-2-cores";
  ASSERT_TRUE(file.has(group));
  const cost::MachineDraftSettings found = read_draft_settings(file.reader(), group);
  EXPECT_TRUE(found.isa.empty());
  EXPECT_EQ(found.draft, "b844e82b1d1c6c3069dc4f88c0d4e88a");
  EXPECT_EQ(found.nearest(0).best().draft_length, 5);
  EXPECT_EQ(found.nearest(0).best().threshold, 0.3);
}

}  // namespace
}  // namespace outrider::artifacts

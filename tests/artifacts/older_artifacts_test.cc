// Groups that older versions wrote, which tests/golden/make_older_artifacts copied from a file that was shipped.

#include <gtest/gtest.h>

#include "runtime/artifacts/artifact_file.h"
#include "runtime/artifacts/cost.h"
#include "runtime/artifacts/pld_plus.h"
#include "tests/support/expect_input_error.h"
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

TEST_F(OneTemperature, SettingsOfPldPlusNameWhatMakesThemAnew) {
  test::expect_input_error([&] { read_pld_plus_heads(file_.reader(), kPldPlusHeads); },
                           "/pld_plus/heads: is of an earlier version",
                           "`calibrate heads` makes it anew");
  test::expect_input_error([&] { read_pld_plus_layer(file_.reader(), kPldPlusLayer); },
                           "/pld_plus/layer: is of an earlier version",
                           "`calibrate layer` makes it anew");
}

TEST_F(OneTemperature, CostsAreOfPassesOnly) {
  const cost::MachineCost measured =
      read_cost(file_.reader(), "/cost/Intel-R-Xeon-R-Processor-family-6-model-207-2-cores");
  EXPECT_EQ(measured.passes.size(), 2U);  // of one thread, and of two
  EXPECT_TRUE(measured.model(1).has_value());
  EXPECT_TRUE(measured.drafters.drafters.empty());
}

}  // namespace
}  // namespace outrider::artifacts

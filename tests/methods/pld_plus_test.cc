#include <gtest/gtest.h>

#include <map>

#include "runtime/base/error.h"
#include "tests/methods/calibrated_target.h"

namespace outrider::methods {
namespace {

class PldPlusTest : public testing::Test {
 protected:
  using Value = SettingValue;

  /// A method's settings as used, some of them given.
  nlohmann::ordered_json with(const std::string& name, const std::map<std::string, Value>& given) {
    const auto method = target_.method(name);
    for (const auto& [key, value] : given) EXPECT_TRUE(fill_in(*method, key, value)) << key;
    return method->prepare(target_.for_methods()).record();
  }

  test::CalibratedTarget target_;
};

TEST_F(PldPlusTest, AThresholdOfCosinesIsOfItsLayer) {
  const auto chosen = with("pld-plus-h", {{"layer", 1}}),
             other = with("pld-plus-h", {{"layer", 2}});
  EXPECT_EQ(chosen["threshold"], 0.75);
  EXPECT_EQ(chosen["logit_weight"], 0.25);
  EXPECT_EQ(other["threshold"], -1);
  EXPECT_EQ(other["logit_weight"], 0);
  EXPECT_EQ(other["draft_length"], chosen["draft_length"]);
}

TEST_F(PldPlusTest, HeadsByNameTakeTheLengthsOfThoseChosen) {
  EXPECT_EQ(with("pld-plus-a", {{"heads", "1:3,2:1"}})["draft_length"], 5);
  // Lengths by step are of the heads that were chosen.
  EXPECT_EQ(with("pld-plus-a", {{"heads", "1:3,2:1"}, {"draft-length", 0}})["draft_length"], 0);
  EXPECT_THROW(with("pld-plus-a", {{"heads", "1:0"}, {"draft-length", 0}}), InputError);
}

TEST_F(PldPlusTest, TakesNothingFromTrialsOfAnotherChoice) {
  target_.write_copies("pld-plus-a", "another choice", {{0, {test::copied(3, -1, 200)}}});
  EXPECT_EQ(with("pld-plus-a", {})["draft_length"], 10);
  target_.write_copies("pld-plus-a", test::two_chosen_heads().choice(),
                       {{0, {test::copied(3, -1, 200)}}});
  EXPECT_EQ(with("pld-plus-a", {})["draft_length"], 3);
}

TEST_F(PldPlusTest, OfWhatIsGivenTakesTheNearestTrials) {
  target_.write_copies(
      "pld-plus-h", test::some_layer().choice(),
      {{0, {test::copied(3, 0.75, 150), test::copied(8, 0.5, 140), test::copied(8, -1, 130)}}});
  EXPECT_EQ(with("pld-plus-h", {{"draft-length", 9}})["threshold"], 0.5);
  EXPECT_EQ(with("pld-plus-h", {{"threshold", -1.0}})["draft_length"], 8);
  EXPECT_EQ(with("pld-plus-h", {})["draft_length"], 3);
}

TEST_F(PldPlusTest, LengthsByStepAreOtherwiseTheFastest) {
  const draft::PldPlusTemperature learned = test::two_chosen_heads().temperatures.front();
  EXPECT_EQ(learned.by_step.value().gain(), 1) << "of rates that are not known";
  draft::PldPlusLengths faster = *learned.by_step;
  faster.tokens_per_second = 12;
  faster.fixed_tokens_per_second = 10;
  EXPECT_DOUBLE_EQ(faster.gain(), 1.2);
  faster.fixed_tokens_per_second = 15;
  EXPECT_EQ(faster.gain(), 1) << "fixed ones are there too";
}

}  // namespace
}  // namespace outrider::methods

#include "runtime/methods/loaded_ngrams.h"

#include <gtest/gtest.h>

#include "tests/methods/calibrated_target.h"
#include "tests/support/expect_input_error.h"

namespace outrider::methods {
namespace {

class NgramShapeTest : public testing::Test {
 protected:
  /// One draft of two tokens, or four, which have more tokens accepted, at temperature 0 more. @param machine  where
  /// passes were timed: a row adds a tenth of a pass
  void write_trials(const std::string& machine) {
    const auto trials = [](std::int64_t of_four) {
      return std::vector{
          test::two_rounds({{"drafts", 1.0}, {"draft-length", 2.0}}, cost::Shape::kChain, 3, 3, {}),
          test::two_rounds({{"drafts", 4.0}, {"draft-length", 3.0}}, cost::Shape::kTree, of_four, 9,
                           {})};
    };
    target_.write_trials(
        "ngrammys", {"", 50, {"drafts", "draft-length"}, {{0, 9, trials(5)}, {1, 9, trials(4)}}});
    cost::DraftingCost drafting = target_.drafting_cost("");
    drafting.rows.clear();
    drafting.shares.clear();
    drafting.draft_threads = 0;
    target_.write_cost(machine, "ngrammys", drafting, 0.1);
  }
  /// "drafts length" of a method.
  std::string shape(const std::string& method, const MethodTarget& target) const {
    const auto record = target_.method(method)->prepare(target).record();
    return record["drafts"].dump() +
           (record.contains("draft_length") ? " " + record["draft_length"].dump() : "");
  }

  test::CalibratedTarget target_;
};

TEST_F(NgramShapeTest, WithoutTrialsIsTheSmallest) {
  for (const char* method : {"ngrammys", "bigram", "context-ngram"})
    EXPECT_EQ(shape(method, target_.for_methods()), "1 1") << method;
  EXPECT_EQ(shape("unigram", target_.for_methods()), "1");
  const auto given = target_.method("ngrammys");
  fill_in(*given, "drafts", 3);
  EXPECT_EQ(given->prepare(target_.for_methods()).record()["drafts"], 3);
  EXPECT_EQ(given->prepare(target_.for_methods()).record()["draft_length"], 1);
}

TEST_F(NgramShapeTest, IsTheFastestWithTheCostsOfThisMachine) {
  write_trials("another machine");
  EXPECT_EQ(shape("ngrammys", target_.priced(0.001, 1)), "4 3");
  EXPECT_EQ(shape("ngrammys", target_.priced(0.1, 1, 0)), "4 3");
  EXPECT_EQ(shape("ngrammys", target_.priced(0.1, 1, 0.8)), "1 2") << "at the other temperature";
  EXPECT_EQ(shape("bigram", target_.priced(0.2, 1)), "1 2");
  EXPECT_EQ(shape("unigram", target_.priced(0.2, 1)), "1");
}

TEST_F(NgramShapeTest, IsTheFastestOfThoseNearestToWhatIsGiven) {
  write_trials("another machine");
  const auto given = target_.method("ngrammys");
  fill_in(*given, "drafts", 5);
  EXPECT_EQ(given->prepare(target_.priced(0.2, 1)).record()["draft_length"], 3);
}

TEST_F(NgramShapeTest, WithoutCostsOfThisMachineIsTheFastestOnThatOfTheCalibration) {
  write_trials("another machine");
  EXPECT_EQ(shape("ngrammys", target_.for_methods()), "4 3");
  EXPECT_EQ(shape("ngrammys", target_.for_methods(0.8)), "1 2");
}

TEST_F(NgramShapeTest, OfAnEarlierVersionNamesWhatMakesItAnew) {
  target_.write("/ngrammys_grid/m", [](hdf5::Writer& file, const std::string& group) {
    file.add_number<std::int32_t>(group + "/threads", 2);
  });
  test::expect_input_error([&] { target_.method("ngrammys")->prepare(target_.for_methods()); },
                           "/ngrammys_grid/m is of an earlier version",
                           "`calibrate ngrammys` makes /trials/ngrammys in its place");
}

}  // namespace
}  // namespace outrider::methods

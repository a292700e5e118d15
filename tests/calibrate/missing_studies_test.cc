// What `calibrate all` does: what there is not, and what there is in a form that is not read.

#include "calibrate/studies/missing_studies.h"

#include <gtest/gtest.h>

#include <string>

#include "runtime/artifacts/trials_group.h"
#include "tests/methods/calibrated_target.h"

namespace outrider::calibrate {
namespace {

class MissingStudiesTest : public testing::Test {
 protected:
  MissingStudiesTest() {
    for (const char* method : {"ngrammys", "ssd"})
      target_.write_trials(
          method,
          {"",
           77,
           {"draft-length"},
           {{1, 9, {test::two_rounds({{"draft-length", 3.0}}, cost::Shape::kChain, 4, 4, {})}}}});
  }
  /// Why a study is left out; empty: it is done.
  std::string outcome_of(const std::string& name) {
    const artifacts::ArtifactSet known(artifacts::identity_of(target_.target().model()),
                                       target_.artifacts(), {});
    for (const MissingStudy& study : missing_studies(known, target_.target().engine(), false, 1))
      if (study.name == name) return study.outcome;
    return "no such study";
  }

  test::CalibratedTarget target_;
};

TEST_F(MissingStudiesTest, AreThoseWhoseGroupsAreOfAnEarlierForm) {
  const std::string is_there = target_.artifacts() + " has it";
  struct Made {
    std::string study, group;
  };
  for (const auto& [study, group] :
       {Made{"heads", artifacts::kPldPlusHeads}, Made{"layer", artifacts::kPldPlusLayer},
        Made{"ngrammys", artifacts::kNgrammys}, Made{"ssd", artifacts::trials_group("ssd")}}) {
    EXPECT_EQ(outcome_of(study), is_there) << study;
    target_.write(group, [](hdf5::Writer& file, const std::string& here) {
      file.add_number<std::int32_t>(here + "/of_an_earlier_form", 1);
    });
    EXPECT_EQ(outcome_of(study), "") << group;
  }
}

TEST_F(MissingStudiesTest, AreThoseWhoseTrialsAreOfAnEarlierForm) {
  for (const auto& [study, method] : {std::pair{"heads", "pld-plus-a"}, {"ngrammys", "ngrammys"}}) {
    target_.write(artifacts::trials_group(method),
                  [](hdf5::Writer& file, const std::string& group) {
                    file.add_text(group + "/drafter", "");
                  });
    EXPECT_EQ(outcome_of(study), "") << study;
  }
}

}  // namespace
}  // namespace outrider::calibrate

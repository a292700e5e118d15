#include "calibrate/report/stop_report.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "calibrate/commands/commands.h"
#include "calibrate/studies/read_stop_study.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/run_command.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/timed_policies.h"

namespace outrider::calibrate {
namespace {

TEST(StopReport, SaysWhatAPolicySaves) {
  const std::string text = study_text(test::timed_study());
  EXPECT_NE(text.find("\ndisco        0.700 (0.600 to 0.800)   0.875 ("), std::string::npos)
      << text;
  EXPECT_NE(text.find("  25 % ("), std::string::npos) << text;
}

class StopStudyFile : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    std::string path = (folder_.path() / name).string();
    std::ofstream(path) << text;
    return path;
  }
  static test::Outcome summarise(std::vector<std::string> files) {
    files.insert(files.begin(), "stops");
    return test::run_command(add_stops, std::move(files));
  }

  test::TemporaryFolder folder_;
};

TEST_F(StopStudyFile, IsReadAsItWasWritten) {
  const study::StopStudy study = test::timed_study();
  const study::StopStudy read = read_stop_study(write("s.json", study_json(study)));
  ASSERT_EQ(read.cells.size(), study.cells.size());
  for (std::size_t i = 0; i < read.cells.size(); ++i) {
    EXPECT_EQ(read.cells[i].name, study.cells[i].name);
    EXPECT_EQ(read.cells[i].tokens_of_texts, study.cells[i].tokens_of_texts);
    EXPECT_EQ(read.cells[i].seconds_of_texts, study.cells[i].seconds_of_texts);
  }
}

TEST_F(StopStudyFile, OtherFilesAreRefused) {
  const auto refused = [&](const std::string& text) {
    const std::string path = write("other.json", text);
    test::expect_input_error([&] { read_stop_study(path); }, path,
                             "expected a study of `calibrate bench --stops --json`");
  };
  refused("no JSON");
  refused("{}");
  refused(R"({"temperature": 0, "verify": "coupled", "policies": []})");
  refused(R"({"temperature": 0, "verify": "coupled", "policies": [{"policy": "target",
              "tokens_of_texts": [1, 2], "seconds_of_texts": [1]}]})");
}

TEST_F(StopStudyFile, SeveralAreSummarisedByTheirMeans) {
  study::StopStudy other = test::timed_study();
  other.cells[4] = test::timed_policy("disco", {4, 4});
  const std::string one = write("one.json", study_json(test::timed_study())),
                    two = write("two.json", study_json(other));
  const test::Outcome outcome = summarise({one, two});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("mean of 2 studies, temperature 0, verification coupled"),
            std::string::npos);
  EXPECT_NE(outcome.out.find("\ndisco        0.550 ("), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("  62 % ("), std::string::npos) << outcome.out;
}

TEST_F(StopStudyFile, StudiesOfOtherKindsAreNotSummarisedTogether) {
  study::StopStudy other = test::timed_study();
  other.temperature = 1;
  const std::string one = write("one.json", study_json(test::timed_study())),
                    two = write("two.json", study_json(other));
  const test::Outcome outcome = summarise({one, two});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("two.json: expected a study like"), std::string::npos) << outcome.err;
  other.temperature = 0;
  other.cells.pop_back();
  EXPECT_EQ(summarise({one, write("two.json", study_json(other))}).code, 2);
}

}  // namespace
}  // namespace outrider::calibrate

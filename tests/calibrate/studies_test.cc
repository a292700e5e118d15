// Studies as a whole, without a command line.

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "calibrate/studies/heads_study.h"
#include "calibrate/studies/layer_study.h"
#include "calibrate/studies/pair_counts_study.h"
#include "calibrate/studies/ssd_study.h"
#include "runtime/artifacts/artifact_file.h"
#include "runtime/artifacts/pair_counts_group.h"
#include "runtime/artifacts/pld_plus_group.h"
#include "runtime/artifacts/trials_group.h"
#include "runtime/base/interrupted.h"
#include "tests/calibrate/traced_draft.h"
#include "tests/support/expect_input_error.h"

namespace outrider::calibrate {
namespace {

/// Ends the work after it was asked so often, and keeps what it was told.
class Counting : public Watch {
 public:
  explicit Counting(int most = 1 << 30) : most_(most) {}

  bool interrupted() override { return ++asked > most_; }
  bool is_heard() const override { return true; }
  void plan(const std::vector<PlannedPart>& parts) override { plans += parts.empty() ? 0 : 1; }
  void begin(const std::string& what, std::int64_t, std::int64_t) override { begun.insert(what); }
  void show(std::int64_t, const std::string&) override { ++shown; }
  void inform(const std::string& sentence) override { told += sentence + "\n"; }

  int asked = 0, plans = 0, shown = 0;
  std::set<std::string> begun;
  std::string told;

 private:
  int most_;
};

class Studies : public test::TracedDraft {
 protected:
  void SetUp() override { make({"-n", "24", "--samples", "2", "--temperature", "0", "1"}); }

  inference::TargetOptions target() const {
    return {.model = path("tiny.gguf"), .engine = {.isa = engine::Isa::kScalar, .threads = 1}};
  }
  StudyFiles files(const char* artifact) const { return {path(artifact), path(artifact), "", ""}; }
  AnswerSource traces() const { return {path("traces"), {}}; }
};

TEST_F(Studies, OfHeadsGoesOnWhereItWasInterruptedAndFindsTheSame) {
  inference::Target target(this->target());
  Counting all;
  const CopyStudy whole = {traces(), 5, files("whole.h5")};
  const FoundHeads found = find_heads(target, whole, all);
  EXPECT_GT(found.tokens, 0);
  EXPECT_EQ(all.plans, 1);
  EXPECT_EQ(all.begun, (std::set<std::string>{"answers counted", "answers tried"}));

  const CopyStudy parts = {traces(), 5, files("parts.h5")};
  Counting few(1);
  EXPECT_THROW(find_heads(target, parts, few), Interrupted);
  EXPECT_FALSE(std::filesystem::exists(path("parts.h5")));
  Counting others;
  const FoundHeads resumed = find_heads(target, parts, others);
  EXPECT_NE(others.told.find("answers counted: resuming after 1"), std::string::npos)
      << others.told;
  EXPECT_LT(others.shown, all.shown);
  EXPECT_EQ(resumed.heads.ranking, found.heads.ranking);
  EXPECT_EQ(resumed.heads.hits, found.heads.hits);
  const artifacts::ArtifactFile file(path("parts.h5"));
  EXPECT_EQ(artifacts::read_pld_plus_heads(file.reader(), artifacts::kPldPlusHeads).ranking,
            found.heads.ranking);
}

TEST_F(Studies, OfLayersAndPairCountsWriteTheirGroups) {
  inference::Target target(this->target());
  Watch unheard;
  const FoundLayer found = find_layer(target, {traces(), 5, files("found.h5")}, unheard);
  const CountedPairs pair_counts =
      count_pairs(target.model(), {{path("traces")}, 1, files("found.h5")}, unheard);
  EXPECT_GT(pair_counts.tokens, 0);
  EXPECT_DOUBLE_EQ(pair_counts.share, 1) << "every pair occurs once";
  const artifacts::ArtifactFile file(path("found.h5"));
  EXPECT_EQ(artifacts::read_pld_plus_layer(file.reader(), artifacts::kPldPlusLayer).chosen,
            found.layer.chosen);
  const cost::Trials trials =
      artifacts::read_trials(file.reader(), artifacts::trials_group("pld-plus-h"));
  EXPECT_EQ(trials.drafter, found.layer.choice());
  EXPECT_EQ(trials.by_temperature.size(), 2U);
  EXPECT_EQ(artifacts::read_pair_counts(file).size(), pair_counts.pairs);
}

TEST_F(Studies, RefuseTracesOfAnotherModel) {
  test::write_tiny_llama(folder_.path(), "other.gguf", {.head_width = 32}, 9,
                         model::WeightType::kQ8_0);
  inference::Target other({.model = path("other.gguf")});
  Watch unheard;
  test::expect_input_error(
      [&] {
        find_layer(other, {traces(), 5, files("x.h5")}, unheard);
      },
      "its traces are of tiny");
}

TEST_F(Studies, OfADraftModelGoesOnWhereItWasInterruptedAndFindsTheSame) {
  inference::Target target(this->target());
  const auto options = [&](const char* artifact) {
    DrafterStudyOptions given = {.data = path("traces"),
                                 .draft = path("tiny.gguf"),
                                 .draft_vocab = {},
                                 .draft_threads = 1,
                                 .files = files(artifact)};
    return given;
  };
  const DrafterStudyOptions of_whole = options("whole.h5"), of_cut = options("cut.h5");
  Counting all;
  const SsdFindings found = SsdStudy(target, of_whole, all).run();
  EXPECT_EQ(all.plans, 1);
  EXPECT_EQ(found.drafts.at(1).mean_agreement(), 1) << "the target is its own draft model";
  Counting cut(2);
  EXPECT_THROW(SsdStudy(target, of_cut, cut).run(), Interrupted);
  EXPECT_FALSE(std::filesystem::exists(path("cut.h5")));
  Counting rest;
  EXPECT_EQ(SsdStudy(target, of_cut, rest).run().drafts.at(1).mean_coverage(),
            found.drafts.at(1).mean_coverage());
  EXPECT_LT(rest.shown, all.shown);
  const auto trials_in = [&](const char* artifact) {
    const artifacts::ArtifactFile file{std::filesystem::path(path(artifact))};
    return artifacts::read_trials(file.reader(),
                                  artifacts::trials_group("ssd", found.tried.drafting.drafter));
  };
  const cost::Trials whole = trials_in("whole.h5"), again = trials_in("cut.h5");
  ASSERT_EQ(whole.by_temperature.size(), 2u);
  EXPECT_EQ(whole.by_temperature[0].trials[0].tokens, again.by_temperature[0].trials[0].tokens);
}

}  // namespace
}  // namespace outrider::calibrate

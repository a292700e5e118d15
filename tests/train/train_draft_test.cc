// Trainings as a whole, without a command line.

#include "train/run/train_draft.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/artifacts/artifact_file.h"
#include "runtime/artifacts/draft_group.h"
#include "runtime/artifacts/parallelspec_group.h"
#include "runtime/base/interrupted.h"
#include "runtime/model/identity.h"
#include "tests/data/random_store.h"
#include "tests/support/expect_input_error.h"
#include "tests/train/small_target.h"
#include "train/run/train_parallelspec.h"
#include "train/run/work_folder.h"

namespace outrider::train {
namespace {

/// Ends the work after some steps, and keeps what it was told.
class FewSteps : public Watch {
 public:
  explicit FewSteps(std::int64_t most = 1000) : most_(most) {}

  bool interrupted() override { return steps >= most_; }
  void begin(const std::string& what, std::int64_t total, std::int64_t before) override {
    begun.push_back(what + " " + std::to_string(before) + " of " + std::to_string(total));
  }
  void show(std::int64_t, const std::string&) override { ++steps; }
  void inform(const std::string& sentence) override { told += sentence + "\n"; }

  std::int64_t steps = 0;
  std::vector<std::string> begun;
  std::string told;

 private:
  std::int64_t most_;
};

/// A target, and traces of another text than its own, which training does not mind.
class TrainWithoutACommandLine : public testing::Test {
 protected:
  TrainWithoutACommandLine() {
    data::StoreIdentity identity = test::small_identity();
    identity.model_hash = model::model_hash(small_.model);
    identity.vocab = small_.model.config.vocab;
    identity.width = small_.model.config.width;
    const data::ShardPlan plan = {40, 12, 1, 1};
    data::TraceWriter writer(file("traces"), identity, plan);
    for (const int shard : writer.missing())
      writer.write(shard, test::random_shard(identity, plan, shard));
  }

  std::string file(const char* name) const { return (small_.folder.path() / name).string(); }

  void fill(RunOptions& run, const char* work) const {
    run.model = small_.model.path.string();
    run.data = {file("traces")};
    run.validation = 0.3;
    run.steps = 6;
    run.training.batch = 2;
    run.training.validate_every = 3;
    run.work = file(work);
    run.artifacts = file("found.h5");
    run.device = "cpu";
    run.engine.threads = 1;
  }
  DraftTraining draft(const char* work) const {
    DraftTraining training;
    fill(training.run, work);
    training.vocab_size = 30;
    training.draft.layers = {1};
    return training;
  }
  std::string state(const char* work) const { return state_hash(read_run(file(work))); }

  test::SmallTarget small_;
};

TEST_F(TrainWithoutACommandLine, ADraftModelIsTheSameWhereverItsTrainingWasInterrupted) {
  FewSteps all;
  const auto written = train_draft(draft("whole"), all);
  EXPECT_EQ(written, file("found.h5"));
  EXPECT_EQ(all.begun.front(), "steps 0 of 6");
  EXPECT_NE(all.told.find("finished after 6 of 6 steps"), std::string::npos) << all.told;
  const artifacts::ArtifactFile found(*written);
  EXPECT_EQ(artifacts::read_from_layers(found), std::vector<int>{1});
  const model::Model made = artifacts::read_draft(found, small_.model);
  EXPECT_GE(made.tokens_of_head().size(), 30u);

  FewSteps two(2);
  EXPECT_THROW(train_draft(draft("parts"), two), Interrupted);
  FewSteps others;
  train_draft(draft("parts"), others);
  EXPECT_EQ(others.begun.front(), "steps 2 of 6");
  EXPECT_EQ(state("parts"), state("whole"));
}

TEST_F(TrainWithoutACommandLine, AParallelDrafterIsWrittenToItsGroup) {
  ParallelSpecTraining training;
  fill(training.run, "medusa");
  training.vocab_size = 30;
  training.parallel.shape.flavour = Flavour::kMedusa;
  training.parallel.shape.token_inputs = true;
  training.parallel.shape.masks = 2;
  FewSteps all;
  const auto written = train_parallelspec(training, all);
  ASSERT_TRUE(written.has_value());
  const draft::ParallelSpecModel made = artifacts::read_parallelspec(
      artifacts::ArtifactFile(*written), small_.model, Flavour::kMedusa);
  EXPECT_EQ(made.masks(), 2);
}

TEST_F(TrainWithoutACommandLine, MistakesNameTheOption) {
  Watch watch;
  DraftTraining training = draft("w");
  training.draft.layers = {3};
  test::expect_input_error([&] { train_draft(training, watch); },
                           "--layers: expected a whole number from 1 to 2, found '3'");
  training.draft.layers = {};
  training.run.finish = true;
  test::expect_input_error([&] { train_draft(training, watch); },
                           "--finish: expected a checkpoint in");
  EXPECT_FALSE(std::filesystem::exists(file("w"))) << "a refused run leaves its folder";
}

}  // namespace
}  // namespace outrider::train

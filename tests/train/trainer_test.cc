#include "train/trainer/trainer.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <optional>

#include "tests/support/expect_input_error.h"
#include "tests/train/toy_training.h"
#include "train/trainer/curves.h"

namespace outrider::train {
namespace {

/// Everything that a run takes, and the checkpoint that it left.
class Training : public test::ToyTraining {
 protected:
  Training() {
    stores_.emplace_back(small_.path);
    validation_ = validation_traces(stores_, split_, 20);
    options_.batch = 3;
    options_.accumulate = 2;
    options_.validate_every = 4;
  }

  /// One start of a run: from the last checkpoint if there is one.
  /// @param most  steps until it is interrupted
  Ending start(std::int64_t most = 1000) {
    TraceMix mix = this->mix();
    MetricsFile metrics(metrics_path_, saved_ ? saved_->metrics_bytes : 0);
    std::int64_t steps = 0;
    std::optional<Trainer> trainer;
    TrainingWatch watch;
    watch.on_step = [&](const StepReport&) { ++steps; };
    watch.interrupted = [&] { return steps >= most; };
    watch.save = [&] {
      saved_ = trainer->state();
      write_checkpoint(path_, *saved_);
    };
    trainer.emplace(objective_.emplace(), mix, validation_, options_, limits_, metrics, watch);
    objective_->broken_from = broken_from_;
    objective_->scores = scores_;
    if (saved_) trainer->resume(read_checkpoint(path_));
    return trainer->run();
  }

  std::string metrics() const {
    std::ifstream file(metrics_path_);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::size_t metric_lines() const {
    const std::string text = metrics();
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }

  test::RandomStore small_{{}, {15, 4, 1, 1}};
  std::filesystem::path path_ = store_.folder.path() / "checkpoint.h5";
  std::filesystem::path metrics_path_ = store_.folder.path() / "metrics.jsonl";
  TrainingLimits limits_;
  int broken_from_ = 1 << 30;
  std::vector<double> scores_;
  std::optional<test::ToyObjective> objective_;
  std::optional<Checkpoint> saved_;
};

TEST_F(Training, LearnsAndWritesWhatItMeasured) {
  EXPECT_EQ(start(), Ending::kFinished);
  EXPECT_EQ(saved_->step, 20);
  EXPECT_EQ(metric_lines(), 20u + 6u);
  EXPECT_EQ(metrics().size(), saved_->metrics_bytes);
  const MetricsFile written(metrics_path_, saved_->metrics_bytes);
  const auto& lines = written.lines();
  EXPECT_EQ(lines.front().at("step"), 0);
  EXPECT_GT(lines.back().at("validation").at("score"), lines.front().at("validation").at("score"));
  EXPECT_GT(saved_->best->score, lines.front().at("validation").at("score"));
  const std::string svg = curves_svg(lines);
  EXPECT_NE(svg.find("Loss per token"), std::string::npos);
  EXPECT_NE(svg.find("Validation on other prompts"), std::string::npos);
}

TEST_F(Training, EndsInTheSameBitsWhereverItWasInterrupted) {
  start();
  const Checkpoint straight = *saved_;
  const std::size_t lines = metric_lines();
  for (const std::int64_t most : {1, 2, 3, 5, 7, 19}) {
    saved_.reset();
    Ending ending;
    while ((ending = start(most)) != Ending::kFinished) ASSERT_EQ(ending, Ending::kInterrupted);
    EXPECT_EQ(state_hash(*saved_), state_hash(straight)) << most << " steps at a time";
    EXPECT_EQ(weights_hash(*saved_), weights_hash(straight));
    EXPECT_EQ(saved_->best, straight.best);
    EXPECT_EQ(metric_lines(), lines);
  }
}

TEST_F(Training, ForgetsWhatCameAfterTheCheckpoint) {
  start();
  const Checkpoint straight = *saved_;
  const std::string whole = metrics();
  saved_.reset();
  start(9);
  const Checkpoint kept = *saved_;
  start(6);  // is killed before it saves
  saved_ = kept;
  write_checkpoint(path_, kept);
  start();
  EXPECT_EQ(state_hash(*saved_), state_hash(straight));
  EXPECT_EQ(std::count(whole.begin(), whole.end(), '\n'), std::ptrdiff_t(metric_lines()));
}

TEST_F(Training, AccumulatesBatchesAsOneStep) {
  start();
  const Checkpoint two_by_three = *saved_;
  saved_.reset();
  options_.batch = 6;
  options_.accumulate = 1;
  start();
  EXPECT_EQ(saved_->tokens, two_by_three.tokens);
  for (std::size_t i = 0; i < saved_->parameters[0].value.size(); ++i)
    EXPECT_NEAR(saved_->parameters[0].value[i], two_by_three.parameters[0].value[i], 1e-5);
}

TEST_F(Training, StopsAtALossThatIsNoNumber) {
  start(6);
  const Checkpoint kept = *saved_;
  broken_from_ = 5;  // the third step of two batches
  test::expect_input_error([&] { start(); }, "step 9: the loss is nan", "lower --learning-rate");
  EXPECT_EQ(read_checkpoint(path_), kept);
}

TEST_F(Training, StopsWhenTheScoreGetsNoBetter) {
  limits_.patience = 2;
  scores_ = {1, 3, 2, 3, 9};
  EXPECT_EQ(start(), Ending::kNoBetter);
  EXPECT_EQ(saved_->step, 12);
  EXPECT_EQ(saved_->best, (BestValidation{3, 4}));
  EXPECT_NE(saved_->parameters[0].best, saved_->parameters[0].value);
  EXPECT_EQ(start(), Ending::kNoBetter);
  EXPECT_EQ(saved_->step, 12);
  limits_.patience = 0;
  EXPECT_EQ(start(), Ending::kFinished);
}

TEST_F(Training, StopsAfterItsMinutesAndGoesOn) {
  limits_.minutes = 1e-9;
  EXPECT_EQ(start(), Ending::kOutOfTime);
  EXPECT_EQ(saved_->step, 1);
  EXPECT_EQ(start(), Ending::kOutOfTime);
  EXPECT_EQ(saved_->step, 1);
  limits_.minutes = 0;
  EXPECT_EQ(start(), Ending::kFinished);
}

}  // namespace
}  // namespace outrider::train

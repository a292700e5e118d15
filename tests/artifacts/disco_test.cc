#include "runtime/artifacts/disco.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/expect_input_error.h"
#include "tests/support/some_disco.h"

namespace outrider::artifacts {
namespace {

TrainedDisco written(const TrainedDisco& disco) {
  hdf5::Writer writer;
  write_disco(disco, writer, kDisco);
  return read_disco(hdf5::Reader(writer.finish(), "d.h5"), kDisco);
}

TEST(DiscoGroup, IsOfAllTextsOrOfASet) {
  EXPECT_EQ(stop_group("disco", kAllTexts), "/disco");
  EXPECT_EQ(stop_group("disco", "code"), "/disco_sets/code");
  EXPECT_EQ(stop_group("disco", "my code/2"), "/disco_sets/my-code-2");
  EXPECT_EQ(stop_group("classifier", kAllTexts), "/stop_classifier");
  EXPECT_EQ(stop_group("classifier", "code"), "/stop_classifier_sets/code");
}

TEST(DiscoGroup, GivesBackWhatWasWritten) {
  const TrainedDisco made = test::some_disco("0a1b"), found = written(made);
  EXPECT_EQ(found.draft, "0a1b");
  EXPECT_EQ(found.machine, "some machine");
  ASSERT_EQ(found.by_temperature.size(), 2u);
  const TrainedStop& sampled = found.nearest(0.8);
  EXPECT_EQ(sampled.label, "soft");
  EXPECT_TRUE(sampled.along_path());
  EXPECT_EQ(sampled.settings.temperature, 1);
  EXPECT_EQ(sampled.settings.best().threshold, 0.2);
  EXPECT_EQ(sampled.classifier.output_bias, 3);
  const TrainedStop& greedy = found.nearest(0.2);
  EXPECT_EQ(greedy.label, "hard");
  EXPECT_FALSE(greedy.along_path());
  const draft::StopClassifier& expected = made.by_temperature[0].classifier;
  EXPECT_EQ(greedy.classifier.hidden, expected.hidden);
  EXPECT_EQ(greedy.classifier.hidden_bias, expected.hidden_bias);
  EXPECT_EQ(greedy.classifier.output, expected.output);
  EXPECT_EQ(greedy.classifier.output_bias, -1);
  EXPECT_EQ(greedy.classifier.position_scale, expected.position_scale);
  ASSERT_TRUE(greedy.confidence && greedy.path);
  EXPECT_EQ(greedy.confidence->best_fixed().draft_length, 5);
  EXPECT_EQ(greedy.confidence->best_stopped().draft_length, 5);
  EXPECT_EQ(greedy.confidence->best_stopped().threshold, 0.2);
  EXPECT_EQ(greedy.path->best_stopped().draft_length, 2);
  EXPECT_EQ(greedy.auc, 0.9);
  EXPECT_EQ(greedy.f1, 0.8);
  EXPECT_EQ(greedy.share, made.by_temperature[0].share);
  EXPECT_EQ(greedy.predicted, made.by_temperature[0].predicted);
  EXPECT_EQ(greedy.accepted, made.by_temperature[0].accepted);
  EXPECT_FALSE(found.is_published()) << "the second is along the path";
  EXPECT_TRUE(written(test::some_disco("0a1b", true)).is_published());
}

TEST(DiscoGroup, OnlyThePapersInputsAndRuleArePublished) {
  TrainedStop stop = test::some_disco("0a1b").by_temperature[0];
  EXPECT_TRUE(stop.is_published());
  constexpr auto kFirst = draft::StopClassifier::kPaperInputs;
  stop.classifier.hidden[kFirst] = 1;
  EXPECT_FALSE(stop.is_published());
  stop.classifier.hidden[kFirst] = 0;
  stop.settings.along_path.assign(stop.settings.thresholds.size(), 1);
  EXPECT_FALSE(stop.is_published());
}

TEST(DiscoGroup, OlderFilesHaveNoRoundsByTheDraftsOwnProbabilities) {
  TrainedDisco made = test::some_disco("0a1b");
  made.by_temperature[0].confidence.reset();
  made.by_temperature[0].path.reset();
  const TrainedDisco found = written(made);
  EXPECT_FALSE(found.by_temperature[0].confidence || found.by_temperature[0].path);
  EXPECT_TRUE(found.by_temperature[1].path);
}

TEST(DiscoGroup, RefusesWhatMakesNoSense) {
  const auto refused = [](const std::string& why, auto change) {
    TrainedDisco disco = test::some_disco("0a1b");
    change(disco);
    test::expect_input_error([&] { written(disco); }, "d.h5", why);
  };
  constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
  const auto first = [](auto change) {
    return [change](TrainedDisco& disco) { change(disco.by_temperature[0]); };
  };
  refused("/temperatures: expected one", [](TrainedDisco& all) { all.by_temperature.clear(); });
  refused("ascending order",
          [](TrainedDisco& all) { all.by_temperature[1].settings.temperature = 0; });
  refused("/position_scale: expected",
          first([](TrainedStop& stop) { stop.classifier.position_scale = 0; }));
  refused("/hidden: holds", first([](TrainedStop& stop) { stop.classifier.hidden[77] = kNone; }));
  refused("/output_bias: holds",
          first([](TrainedStop& stop) { stop.classifier.output_bias = kNone; }));
  refused("/auc: expected 0 to 1", first([](TrainedStop& stop) { stop.auc = 2; }));
  refused("/thresholds", first([](TrainedStop& stop) { stop.settings.thresholds[1] = 1.5; }));
  refused("/reliability/share: expected", first([](TrainedStop& stop) { stop.share.clear(); }));
  refused("/reliability/accepted", first([](TrainedStop& stop) { stop.accepted.push_back(1); }));
}

}  // namespace
}  // namespace outrider::artifacts

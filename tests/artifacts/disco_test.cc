#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "runtime/artifacts/disco_group.h"
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
  EXPECT_TRUE(sampled.along_path);
  EXPECT_EQ(sampled.trials.temperature, 1);
  EXPECT_EQ(cost::number_of(sampled.chosen.at("classifier"), "draft-threshold"), 0.2);
  EXPECT_EQ(sampled.classifier.output_bias, 3);
  const TrainedStop& greedy = found.nearest(0.2);
  EXPECT_EQ(greedy.label, "hard");
  EXPECT_FALSE(greedy.along_path);
  const draft::StopClassifier& expected = made.by_temperature[0].classifier;
  EXPECT_EQ(greedy.classifier.hidden, expected.hidden);
  EXPECT_EQ(greedy.classifier.hidden_bias, expected.hidden_bias);
  EXPECT_EQ(greedy.classifier.output, expected.output);
  EXPECT_EQ(greedy.classifier.output_bias, -1);
  EXPECT_EQ(greedy.classifier.position_scale, expected.position_scale);
  EXPECT_EQ(found.context, 300);
  EXPECT_EQ(greedy.chosen.at("static"), (cost::SettingValues{{"draft-length", 5.0}}));
  EXPECT_EQ(greedy.chosen.at("path"),
            (cost::SettingValues{{"draft-length", 2.0}, {"draft-threshold", 0.2}}));
  EXPECT_EQ(greedy.trials.positions, 300);
  const auto& trials = made.by_temperature[0].trials.trials;
  ASSERT_EQ(greedy.trials.trials.size(), trials.size());
  EXPECT_EQ(greedy.trials.trials.back().settings, trials.back().settings);
  EXPECT_EQ(greedy.trials.trials.back().tokens, 220);
  EXPECT_EQ(greedy.trials.trials.back().drafting, trials.back().drafting);
  EXPECT_EQ(greedy.auc, 0.9);
  EXPECT_EQ(greedy.f1, 0.8);
  EXPECT_EQ(greedy.share, made.by_temperature[0].share);
  EXPECT_EQ(greedy.predicted, made.by_temperature[0].predicted);
  EXPECT_EQ(greedy.accepted, made.by_temperature[0].accepted);
  EXPECT_TRUE(greedy.is_published());
  EXPECT_FALSE(found.by_temperature[1].is_published()) << "along the path";
}

TEST(DiscoGroup, OnlyThePapersInputsAndRuleArePublished) {
  TrainedStop stop = test::some_disco("0a1b").by_temperature[0];
  EXPECT_TRUE(stop.is_published());
  constexpr auto kFirst = draft::StopClassifier::kPaperInputs;
  stop.classifier.hidden[kFirst] = 1;
  EXPECT_FALSE(stop.is_published());
  stop.classifier.hidden[kFirst] = 0;
  stop.along_path = true;
  EXPECT_FALSE(stop.is_published());
}

TEST(DiscoGroup, GivesTheFastestRoundsOfAPolicy) {
  artifacts::TrainedStop stop = test::some_disco("0a1b").by_temperature[0];
  stop.trials.price({cost::CostModel(test::some_passes(0, 0)), 0, {1}, {0.01}});
  EXPECT_EQ(stop.best("static").tokens, 210);
  EXPECT_EQ(stop.best("path").settings.at("draft-length"), cost::SettingValue(2.0));
  EXPECT_THROW(stop.best("heuristic"), std::logic_error);
}

TEST(DiscoGroup, OfAnEarlierVersionNamesWhatMakesItAnew) {
  hdf5::Writer writer;
  write_provenance({"train disco", {}, 0, {}, {}, {}}, kDisco, writer);
  writer.add_text("/disco/draft", "0a1b");
  const hdf5::Reader file(writer.finish(), "d.h5");
  test::expect_input_error([&] { read_disco(file, kDisco); }, "/disco: is of an earlier version",
                           "`train disco` makes it anew");
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
          [](TrainedDisco& all) { all.by_temperature[1].trials.temperature = 0; });
  refused("/position_scale: expected",
          first([](TrainedStop& stop) { stop.classifier.position_scale = 0; }));
  refused("/hidden: expected finite",
          first([](TrainedStop& stop) { stop.classifier.hidden[77] = kNone; }));
  refused("/output_bias: expected finite",
          first([](TrainedStop& stop) { stop.classifier.output_bias = kNone; }));
  refused("/auc: expected 0 to 1", first([](TrainedStop& stop) { stop.auc = 2; }));
  refused("/draft_threshold: expected 0 to 1",
          first([](TrainedStop& stop) { stop.chosen["path"]["draft-threshold"] = 1.5; }));
  refused("/draft_length: expected 1 or more",
          first([](TrainedStop& stop) { stop.chosen["static"].clear(); }));
  refused("/trials: expected trials of classifier",
          first([](TrainedStop& stop) { stop.trials.trials.resize(10); }));
  refused("/reliability/share: expected", first([](TrainedStop& stop) { stop.share.clear(); }));
  refused("/reliability/accepted", first([](TrainedStop& stop) { stop.accepted.push_back(1); }));
}

}  // namespace
}  // namespace outrider::artifacts

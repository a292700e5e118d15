#include <fmt/core.h>
#include <gtest/gtest.h>

#include <limits>

#include "runtime/cost/stop_trials.h"
#include "runtime/engine/machine.h"
#include "tests/methods/ssd_target.h"
#include "tests/support/expect_input_error.h"

namespace outrider::methods {
namespace {

/// Rounds of 2 or 7 tokens, of which one way is the fastest at temperature 0, another at 1.
class CalibratedSsdTest : public SsdTest {
 protected:
  CalibratedSsdTest() { ssd_.settings.artifacts = target_.artifacts(); }

  std::string hash() const {
    return artifacts::draft_hash(artifacts::ArtifactFile(target_.artifacts()));
  }
  /// 400 rounds of 2 and 7 tokens, static and by two thresholds. @param tokens  that they add
  static std::vector<cost::Trial> rounds(const std::vector<std::int64_t>& tokens) {
    std::vector<cost::Trial> tried;
    const int drafted[] = {2, 7, 2, 5, 2, 4};
    for (const double threshold : {0.0, 0.2, 0.6})
      for (const int length : {2, 7}) {
        const std::size_t i = tried.size();
        tried.push_back(test::stopped_rounds(threshold > 0 ? "confidence" : "static", length,
                                             threshold, 400, tokens[i], drafted[i]));
      }
    return tried;
  }
  /// What `calibrate ssd` tried of the artifacts' draft model.
  cost::Trials found() const {
    return {hash(),
            300,
            cost::kStopNames,
            {{0, 1000, rounds({500, 510, 505, 530, 540, 520})},
             {1, 1000, rounds({500, 530, 505, 500, 520, 510})}}};
  }
  /// What drafting costs beside this engine: next to nothing.
  cost::DraftingCost drafting() const {
    cost::DraftingCost measured = target_.drafting_cost(hash());
    measured.rows = {1};
    measured.shares = {1e-9};
    return measured;
  }
  void write(const cost::Trials& trials,
             const std::string& machine = engine::machine_name()) const {
    target_.write_trials("ssd", trials);
    target_.write_cost(machine, "ssd", drafting(), 0);
  }
  /// "policy length threshold", as prepared.
  std::string resolved(double temperature = 0) {
    const auto record = ssd_.prepare(target_.for_methods(temperature)).record();
    return fmt::format("{} {} {}", record["draft_stop"].get<std::string>(),
                       record["draft_length"].get<int>(), record["draft_threshold"].get<double>());
  }
};

TEST_F(CalibratedSsdTest, DraftsAsCalibrationFoundFastestAtTheTemperature) {
  write(found());
  EXPECT_EQ(resolved(0), "confidence 2 0.6");
  EXPECT_EQ(resolved(0.4), "confidence 2 0.6");
  EXPECT_EQ(resolved(0.7), "static 7 0.4");
  EXPECT_EQ(ssd_.prepare(target_.for_methods()).record()["artifacts"], target_.artifacts());
  const auto plain = target_.answer(nullptr, kMessage);
  EXPECT_EQ(target_.answer(ssd_.prepare(target_.for_methods()).new_drafter(), kMessage), plain);
}

TEST_F(CalibratedSsdTest, FlagsOverrideAndTheRestIsFastestWithThem) {
  write(found());
  ssd_.settings.stop = "static";
  EXPECT_EQ(resolved(), "static 7 0.4");
  ssd_.settings.stop = "heuristic";
  EXPECT_EQ(resolved(), "heuristic 16 0.4") << "not tried";
  ssd_.settings.stop = "confidence";
  EXPECT_EQ(resolved(1), "confidence 2 0.6");
  ssd_.settings.threshold = 0.3;
  EXPECT_EQ(resolved(), "confidence 7 0.3") << "as with 0.2";
  ssd_.settings.threshold.reset();
  ssd_.settings.draft_length = 20;
  EXPECT_EQ(resolved(), "confidence 20 0.2") << "as with 7";
  ssd_.settings.stop.clear();
  EXPECT_EQ(resolved(1), "static 20 0.4");
}

TEST_F(CalibratedSsdTest, DraftsAlongThePathWhereThatIsTheFastest) {
  cost::Trials trials = found();
  for (const auto& [length, tokens] : {std::pair{2, 535}, {7, 550}})
    trials.by_temperature[0].trials.push_back(
        test::stopped_rounds("path", length, 0.3, 400, tokens, 2));
  write(trials);
  EXPECT_EQ(resolved(), "path 7 0.3");
  ssd_.settings.stop = "confidence";
  EXPECT_EQ(resolved(), "confidence 2 0.6");
  ssd_.settings.threshold = 0.3;
  EXPECT_EQ(resolved(), "confidence 7 0.3") << "as with 0.2";
  ssd_.settings.threshold.reset();
  ssd_.settings.stop = "path";
  ssd_.settings.draft_length = 2;
  EXPECT_EQ(resolved(), "path 2 0.3");
}

TEST_F(CalibratedSsdTest, DraftsAsOnAnotherMachineWhereItsCostsAreNotKnown) {
  write(found(), "another machine");
  EXPECT_EQ(resolved(), "confidence 2 0.6");
  EXPECT_EQ(ssd_.resolve(target_.for_methods()).options.most_text, std::numeric_limits<int>::max());
  target_.write_cost("another machine", "ssd", drafting(), 0.1);
  cost::Trials trials = found();
  trials.by_temperature[0].trials[1].tokens = 900;
  target_.write_trials("ssd", trials);
  EXPECT_EQ(resolved(), "static 7 0.4") << "900 in 1.7 passes, 540 in 1.2";
  trials.by_temperature[0].trials[1].tokens = 700;
  target_.write_trials("ssd", trials);
  EXPECT_EQ(resolved(), "confidence 2 0.6");
}

TEST_F(CalibratedSsdTest, SettingsOfAnEarlierVersionNameWhatMakesThemAnew) {
  target_.write("/draft_settings/m", [](hdf5::Writer& file, const std::string& group) {
    file.add_number<std::int32_t>(group + "/threads", 2);
  });
  test::expect_input_error([&] { resolved(); }, "/draft_settings/m is of an earlier version",
                           "`calibrate ssd` makes /trials/ssd in its place");
}

TEST_F(CalibratedSsdTest, WhereLongTextsMakeRowsExpensiveDraftsEndWithThem) {
  const std::vector<cost::Trial> two_a_round = rounds({800, 800, 800, 800, 800, 800});
  write({hash(), 300, cost::kStopNames, {{0, 1000, two_a_round}}}, "another machine");
  const auto most_text = [&](double least, double row_per_token) {
    ssd_.settings.least_speed_up = least;
    return ssd_.resolve(target_.priced(0.01, 0.01, 0, row_per_token)).options.most_text;
  };
  constexpr int kAny = std::numeric_limits<int>::max();
  const int context = target_.target().model().config.context;
  EXPECT_EQ(most_text(0, 1), kAny) << "unless asked for";
  EXPECT_EQ(most_text(1.1, 0), context);
  EXPECT_EQ(most_text(1.1, 1), 0);
  EXPECT_EQ(most_text(3, 0), 0) << "more than two tokens a round";
  ASSERT_GT(context, 160);
  // Two tokens in 1.6 passes of one row, and then 0.3 / 8 / 256 of one for each token of the text.
  ssd_.settings.least_speed_up = 1.22;
  EXPECT_EQ(ssd_.resolve(target_.priced(0, 0.3)).options.most_text, 128);
  ssd_.settings.window = 64;
  EXPECT_EQ(ssd_.resolve(target_.priced(0, 0.3)).options.most_text, context) << "reads less";
  EXPECT_EQ(ssd_.resolve(target_.priced(0, 0.3)).options.window, 64);
  ssd_.settings.least_speed_up = 1.1;
  EXPECT_EQ(ssd_.resolve(target_.for_methods()).options.most_text, kAny) << "costs unknown";
}

TEST_F(CalibratedSsdTest, DraftsLessWhereTextsShareAPass) {
  target_.write_trials("ssd", found());
  ssd_.settings.stop = "static";
  const auto length = [&](const MethodTarget& target, int sequences) {
    return ssd_.prepare(target.together(sequences)).record()["draft_length"].get<int>();
  };
  const MethodTarget rows = target_.priced(0.001, 1e-9), steps = target_.priced(0, 0.001);
  EXPECT_EQ(length(rows, 1), 7);
  EXPECT_EQ(length(rows, 8), 2) << "a row more of each is eight rows";
  EXPECT_EQ(length(steps, 1), 7);
  EXPECT_EQ(length(steps, 8), 2) << "each drafts in passes of its own";
}

TEST_F(CalibratedSsdTest, LetsTheClassifierEndDraftsWhereThatIsPredictedToBeFaster) {
  const std::vector<cost::Trial> two_a_round = rounds({800, 800, 800, 800, 800, 800});
  write({hash(), 300, cost::kStopNames, {{0, 1000, two_a_round}}}, "another machine");
  const auto stop = [&] {
    return ssd_.prepare(target_.priced(0, 0.1)).record()["draft_stop"].get<std::string>();
  };
  const auto write_classifier = [&](std::int64_t tokens, const std::string& draft) {
    artifacts::TrainedDisco disco = test::some_disco(draft);
    disco.by_temperature[0].trials.trials.back().tokens = tokens;
    target_.write(artifacts::kStopClassifier, [&](hdf5::Writer& file, const std::string& group) {
      artifacts::write_disco(disco, file, group);
    });
  };
  const std::string usual = stop();
  EXPECT_NE(usual, "classifier");
  write_classifier(222, hash());
  EXPECT_EQ(stop(), usual) << "not told apart from 220";
  write_classifier(240, hash());
  EXPECT_EQ(stop(), "classifier");
  const auto record = ssd_.prepare(target_.priced(0, 0.1)).record();
  EXPECT_EQ(record["draft_length"], 5);
  EXPECT_EQ(record["draft_threshold"], 0.5);
  ssd_.settings.window = 64;
  EXPECT_EQ(stop(), usual) << "trained on drafts after whole texts";
  ssd_.settings.window = 0;
  ssd_.settings.verify = "rejection";
  EXPECT_EQ(stop(), usual);
  ssd_.settings.verify = "coupled";
  ssd_.settings.threshold = 0.6;
  test::expect_input_error(stop, "--draft-threshold: not used by --draft-stop " + usual);
  ssd_.settings.threshold.reset();
  EXPECT_NE(ssd_.prepare(target_.for_methods()).record()["draft_stop"], "classifier")
      << "costs unknown";
  write_classifier(240, "another");
  EXPECT_EQ(stop(), usual);
}

TEST_F(CalibratedSsdTest, LeavesSettingsOfAnotherDraftModel) {
  write(found());
  ssd_.settings.draft = own_path();
  EXPECT_EQ(resolved(), "static 5 0.4");
  ssd_.settings.draft = target_.artifacts();
  EXPECT_EQ(resolved(), "confidence 2 0.6");
  ssd_.settings.artifacts.clear();
  EXPECT_EQ(resolved(), "confidence 2 0.6") << "those beside the model";
  target_.write(artifacts::kDraft, [&](hdf5::Writer& file, const std::string& group) {
    const model::Model& model = target_.target().model();
    artifacts::write_draft(
        test::shallow_model(model, std::vector{1}, test::every_token(model.config.vocab, 0, 2)),
        std::vector{1}, file, group);
  });
  EXPECT_EQ(resolved(), "static 5 0.4") << "of the one before";
}

TEST_F(CalibratedSsdTest, TakesTheDraftModelsThreadsOfThisMachineOnly) {
  inference::TargetOptions options;
  options.engine.threads = 2;
  test::TinyTarget two(options);
  const auto threads = [&] {
    const MethodTarget target(two.target().model(), two.target().engine(), {});
    return ssd_.prepare(target).record()["draft_threads"].get<int>();
  };
  target_.write_trials("ssd", found());
  cost::DraftingCost one = drafting();
  one.threads = 2;
  one.draft_threads = 1;
  target_.write_cost("some machine", "ssd", one, 0);
  EXPECT_EQ(threads(), 2);
  target_.write_cost(engine::machine_name(), "ssd", one, 0);
  EXPECT_EQ(threads(), 1);
  ssd_.settings.draft_threads = 2;
  EXPECT_EQ(threads(), 2);
  ssd_.settings.draft_threads.reset();
  one.threads = 1;
  target_.write_cost(engine::machine_name(), "ssd", one, 0);
  EXPECT_EQ(threads(), 2) << "as many as the target";
}

TEST_F(CalibratedSsdTest, CopiesFirstWhatIsFasterThanTheDraftModel) {
  write(found());
  ssd_.around.copy_first.on = true;
  const auto least_speed_up = [&](double temperature = 0) {
    return ssd_.prepare(target_.for_methods(temperature)).record()["copy_min_speed_up"];
  };
  target_.write(artifacts::kPldPlusLayer, [](hdf5::Writer& file, const std::string& group) {
    draft::PldPlusLayer layer = test::some_layer();
    layer.temperatures[0].by_step = test::two_chosen_heads().temperatures[0].by_step;
    artifacts::write_pld_plus_layer(layer, file, group);
  });
  EXPECT_NEAR(least_speed_up().get<double>(), 540.0 / 400, 1e-6);
  EXPECT_NEAR(least_speed_up(1).get<double>(), 530.0 / 400, 1e-6) << "of the other temperature";
  const auto plain = target_.answer(nullptr, kMessage);
  for (const double given : {1.0, 50.0}) {
    ssd_.around.copy_first.least_speed_up = given;
    EXPECT_EQ(least_speed_up(), given);
    const auto method = ssd_.prepare(target_.for_methods());
    EXPECT_EQ(target_.answer(method.new_drafter(), kMessage), plain);
  }
  EXPECT_TRUE(ssd_.capabilities().copies);
  ssd_.settings.verify = "rejection";
  test::expect_input_error([&] { ssd_.prepare(target_.for_methods()); },
                           "--copy-first: not with --verify rejection");
}

}  // namespace
}  // namespace outrider::methods

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "runtime/artifacts/cost.h"
#include "runtime/artifacts/draft_settings.h"
#include "runtime/artifacts/group_hash.h"
#include "runtime/artifacts/parallel.h"
#include "runtime/engine/machine.h"
#include "tests/methods/calibrated_target.h"
#include "tests/support/tiny_parallel.h"

namespace outrider::methods {
namespace {

/// At a temperature, plain decoding at 100 tokens per second and drafts of `draft_length` at `rate`.
draft::PldPlusSettings rate_at(double temperature, int draft_length, double rate) {
  draft::PldPlusSettings settings = test::settings_at(temperature, draft_length, -1);
  settings.plain_tokens_per_second = 100;
  settings.draft_lengths = {draft_length};
  settings.thresholds = {-1};
  settings.tokens_per_pass = settings.drafted_per_pass = {1};
  settings.tokens_per_second = {rate};
  return settings;
}

/// The target, calibrated with these rates.
class AutoTest : public testing::Test {
 protected:
  void calibrate(const std::vector<draft::PldPlusSettings>& layer,
                 const std::vector<draft::PldPlusSettings>& heads) {
    target_.write(artifacts::kPldPlusLayer, [&](hdf5::Writer& file, const std::string& group) {
      draft::PldPlusLayer found = test::some_layer();
      found.settings = layer;
      found.by_layer_at.assign(3 * layer.size(), 1);
      found.by_logit_weight_at.assign(2 * layer.size(), 1);
      artifacts::write_pld_plus_layer(found, file, group);
    });
    target_.write(artifacts::kPldPlusHeads, [&](hdf5::Writer& file, const std::string& group) {
      draft::PldPlusHeads found = test::two_chosen_heads();
      found.settings = heads;
      found.sweep_at.assign(2 * heads.size(), 1);
      artifacts::write_pld_plus_heads(found, file, group);
    });
  }
  PreparedMethod prepared(double temperature) {
    return target_.method("auto")->prepare(target_.for_methods(temperature));
  }

  test::CalibratedTarget target_;
};

TEST_F(AutoTest, TakesTheFastestAtTheTemperature) {
  calibrate({rate_at(0, 3, 150), rate_at(1, 2, 120)}, {rate_at(0, 5, 140), rate_at(1, 6, 130)});
  EXPECT_EQ(prepared(0).name(), "pld-plus-h");
  EXPECT_EQ(prepared(0).record()["draft_length"], 3);
  EXPECT_EQ(prepared(1).name(), "pld-plus-a");
  EXPECT_EQ(prepared(1).record()["draft_length"], 6);
}

TEST_F(AutoTest, CountsWhatLengthsByStepGain) {
  draft::PldPlusSettings by_step = rate_at(0, 5, 140);
  draft::PldPlusLengths& lengths = by_step.by_step.emplace();
  lengths.sources = {100};
  lengths.accepted = {50, 50};
  lengths.seconds = {1, 1, 1};
  lengths.fixed_tokens_per_second = 10;
  lengths.tokens_per_second = 11;
  calibrate({rate_at(0, 3, 150)}, {by_step});
  EXPECT_EQ(prepared(0).name(), "pld-plus-a");
  EXPECT_EQ(prepared(0).record()["draft_length"], 0);
}

TEST_F(AutoTest, DraftsWithTheDraftModelWhereThatIsFasterOnThisMachine) {
  calibrate({rate_at(0, 3, 150), rate_at(1, 2, 120)}, {rate_at(0, 5, 140), rate_at(1, 6, 130)});
  const cost::DraftSettings greedy = {0, 0.5, 0.9, 100, {0}, {4}, {2}, {4}, {130}};
  cost::DraftSettings sampled = greedy;
  sampled.temperature = 1;
  sampled.tokens_per_second = {101};
  const auto write = [&](const std::string& machine) {
    const std::string hash = artifacts::draft_hash(artifacts::ArtifactFile(target_.artifacts()));
    target_.write(artifacts::draft_settings_group(machine), [&](hdf5::Writer& file,
                                                                const std::string& group) {
      artifacts::write_draft_settings(
          {{hash, "int8", 2, 2, 300}, 0.00025, 0.0025, {greedy, sampled}}, file, group);
    });
  };
  write("another machine");
  EXPECT_EQ(prepared(0).name(), "pld-plus-h");
  write(engine::machine_name());
  EXPECT_EQ(prepared(0).name(), "ssd");
  EXPECT_EQ(prepared(0).record()["copy_first"], true);
  EXPECT_EQ(prepared(0).record()["draft_length"], 4);
  EXPECT_EQ(prepared(0).record()["guard"], "on");
  EXPECT_EQ(prepared(0).record()["draft_window"], 192);
  EXPECT_EQ(prepared(1).name(), "pld-plus-a") << "hardly faster than plain decoding";
}

TEST_F(AutoTest, DraftsInParallelWhereThatIsFasterThanTheDraftModel) {
  constexpr auto kEagle = draft::ParallelModel::Flavour::kEagle;
  calibrate({rate_at(0, 3, 150)}, {rate_at(0, 5, 140)});
  const std::string drafter = artifacts::parallel_group(kEagle);
  target_.write(drafter, [&](hdf5::Writer& file, const std::string& group) {
    artifacts::write_parallel(test::tiny_parallel(target_.target().model(), {kEagle, true, 3}, 9),
                              file, group);
  });
  const artifacts::ArtifactFile file(target_.artifacts());
  const std::string of_drafter = artifacts::group_hash(file, drafter);
  target_.write_trials("parallelspec-eagle", test::some_tree_trials(of_drafter));
  const auto write_cost = [&](const std::string& machine) {
    target_.write_cost(machine, "parallelspec-eagle", target_.drafting_cost(of_drafter), 0.02);
  };
  write_cost("another machine");
  EXPECT_EQ(prepared(0).name(), "pld-plus-h");
  write_cost(engine::machine_name());
  const double speed_up = 6 / (2 * (1.16 + 0.18));
  EXPECT_EQ(prepared(0).name(), "parallelspec-eagle");
  EXPECT_EQ(prepared(0).record()["copy_first"], true);
  EXPECT_EQ(prepared(0).record()["guard"], "on");
  const auto write_draft = [&](double rate) {
    const cost::DraftSettings greedy = {0, 0.5, 0.9, 100, {0}, {4}, {2}, {4}, {100 * rate}};
    const std::string hash = artifacts::draft_hash(artifacts::ArtifactFile(target_.artifacts()));
    target_.write(artifacts::draft_settings_group(engine::machine_name()),
                  [&](hdf5::Writer& to, const std::string& group) {
                    artifacts::write_draft_settings(
                        {{hash, "int8", 2, 2, 300}, 0.00025, 0.0025, {greedy}}, to, group);
                  });
  };
  write_draft(speed_up + 0.05);
  EXPECT_EQ(prepared(0).name(), "parallelspec-eagle");
  write_draft(speed_up / 0.9 + 0.05);
  EXPECT_EQ(prepared(0).name(), "ssd");
}

/// What was found of copies and a draft model on another machine, which the choices here do not depend on.
class AutoElsewhereTest : public AutoTest {
 protected:
  AutoElsewhereTest() {
    draft::PldPlusSettings copies = rate_at(0, 1, 1);
    copies.draft_lengths = {1, 4, 20};
    copies.tokens_per_pass = {1.4, 1.9, 2.2};
    copies.drafted_per_pass = {0.6, 2.4, 12};
    copies.tokens_per_second = {1, 1, 1};
    calibrate({copies}, {rate_at(0, 1, 1)});
    cost::DraftSettings rounds = {0, 0.6, 1, 100, {0}, {1, 4, 8}, {}, {}, {1, 1, 1}};
    rounds.tokens_per_round = {1.6, 2.3, 2.5};
    rounds.drafted_per_round = {1, 4, 8};
    const std::string hash = artifacts::draft_hash(artifacts::ArtifactFile(target_.artifacts()));
    target_.write(artifacts::draft_settings_group("another machine"),
                  [&](hdf5::Writer& file, const std::string& group) {
                    artifacts::write_draft_settings(
                        {{hash, "int8", 2, 2, 300}, 0.00025, 0.0025, {rounds}}, file, group);
                  });
  }
  nlohmann::json chosen(double row, double step) {
    const PreparedMethod method = target_.method("auto")->prepare(target_.priced(row, step));
    nlohmann::json record = method.record();
    record["name"] = method.name();
    return record;
  }
};

TEST_F(AutoElsewhereTest, CheapRowsAndStepsAreUsedForLongRounds) {
  const auto record = chosen(0, 0.001);
  EXPECT_EQ(record["name"], "ssd");
  EXPECT_EQ(record["draft_length"], 8);
  EXPECT_EQ(record["copy_first"], true);
  EXPECT_NEAR(record["copy_min_speed_up"].get<double>(), 2.5, 0.05);
  EXPECT_EQ(chosen(0.15, 0.01)["name"], "ssd");
  EXPECT_LT(chosen(0.15, 0.01)["draft_length"], 8);
}

bool pauses(const PreparedMethod& method) {
  const auto counts = method.new_drafter()->report(0).counts;
  return std::any_of(counts.begin(), counts.end(),
                     [](const auto& one) { return one.name == "paused_rounds"; });
}

TEST_F(AutoElsewhereTest, DraftersPauseUnlessTheyAreNotToOrCostsAreUnknown) {
  const auto method = target_.method("auto");
  EXPECT_TRUE(pauses(method->prepare(target_.priced(0, 0.001)))) << "the draft model";
  EXPECT_TRUE(pauses(method->prepare(target_.priced(0, 0.6)))) << "copies";
  const auto copies = target_.method("pld-plus-h");
  fill_in(*copies, "guard", "on");
  EXPECT_TRUE(pauses(copies->prepare(target_.priced(0, 0.6))));
  EXPECT_FALSE(pauses(copies->prepare(target_.for_methods())));
  fill_in(*method, "guard", "off");
  const PreparedMethod unguarded = method->prepare(target_.priced(0, 0.6));
  EXPECT_EQ(unguarded.record()["guard"], "off");
  EXPECT_FALSE(pauses(unguarded));
}

TEST_F(AutoElsewhereTest, WhereStepsAreExpensiveTextIsCopiedAsFarAsRowsPay) {
  EXPECT_EQ(chosen(0, 0.6)["name"], "pld-plus-h");
  EXPECT_EQ(chosen(0, 0.6)["draft_length"], 20);
  EXPECT_EQ(chosen(0.1, 0.6)["draft_length"], 4);
  EXPECT_EQ(chosen(0.3, 0.6)["draft_length"], 1);
}

TEST_F(AutoElsewhereTest, WhereRowsCostAsMuchAsPassesNothingIsDrafted) {
  EXPECT_EQ(chosen(1, 0.1)["name"], "ar");
  EXPECT_EQ(chosen(0.62, 0.6)["name"], "ar") << "hardly faster";
}

TEST_F(AutoElsewhereTest, StoredPricesAreThoseOfTheDeviceThatDecodes) {
  inference::TargetOptions on_gpu = target_.target().options();
  on_gpu.engine.device = {engine::DeviceChoice::Kind::kCudaEmulated};
  on_gpu.engine.threads = 0;
  inference::Target gpu(on_gpu);
  // A row adds so much of a pass over one.
  const auto store = [&](const engine::Engine& engine, double row) {
    cost::MachineCost prices;
    prices.machine = engine.place().name;
    prices.numerics = engine.numerics_name();
    prices.isa = engine.place().unit;
    cost::ThreadsCost& passes = prices.passes.emplace_back();
    passes.threads = engine.workers();
    for (const cost::Shape shape : {cost::Shape::kChain, cost::Shape::kTree})
      for (const int rows : {1, 101})
        for (const int context : {0, 100}) {
          const double seconds = 1 + row * (rows - 1);
          passes.passes.push_back({{shape, rows, context}, false, {seconds, seconds, seconds}});
        }
    target_.write(artifacts::cost_group(prices.machine),
                  [&](hdf5::Writer& file, const std::string& group) {
                    artifacts::write_cost(prices, file, group);
                  });
  };
  const auto length_on = [&](inference::Target& target) {
    const auto method = target_.method("auto");
    fill_in(*method, "guard", "off");  // which would be timed where no prices are stored
    const auto prepared = method->prepare({target.model(), target.engine(), 0});
    return prepared.name() == "ar" ? 0 : prepared.record()["draft_length"].get<int>();
  };
  store(target_.target().engine(), 0);
  store(gpu.engine(), 0.1);
  EXPECT_EQ(length_on(target_.target()), 20);
  EXPECT_EQ(length_on(gpu), 4);
  store(target_.target().engine(), 0.3);
  store(gpu.engine(), 1);
  EXPECT_EQ(length_on(target_.target()), 1);
  EXPECT_EQ(length_on(gpu), 0);
}

TEST_F(AutoElsewhereTest, NothingIsTimedForWhatIsGivenOrWithoutCalibrationAndGuard) {
  test::TinyTarget tiny;
  const Notices fail = {[](const std::string& text) { ADD_FAILURE() << text; }, {}};
  const auto costs = std::make_shared<cost::QuickCosts>("", fail);
  const auto unguarded = new_method("auto");
  fill_in(*unguarded, "guard", "off");
  EXPECT_EQ(unguarded->prepare({tiny.target().model(), tiny.target().engine(), 0, costs}).name(),
            "pld");
  const auto copies = target_.method("pld-plus-h");
  fill_in(*copies, "draft-length", 3);
  fill_in(*copies, "threshold", 0.5);
  copies->prepare({target_.target().model(), target_.target().engine(), 0, costs});
}

TEST_F(AutoTest, DecodesPlainlyWhereEveryDraftLoses) {
  calibrate({rate_at(0, 3, 150), rate_at(1, 2, 98)}, {rate_at(0, 5, 99), rate_at(1, 5, 97)});
  EXPECT_EQ(prepared(0).name(), "pld-plus-h");
  EXPECT_EQ(prepared(1).name(), "ar");
}

// There may be more to copy than calibration knew of.
TEST_F(AutoTest, CopiesFromAReferenceWhereEveryDraftFromTheTextLoses) {
  calibrate({rate_at(0, 3, 90)}, {rate_at(0, 5, 90)});
  test::TemporaryFolder folder;
  const std::string file = (folder.path() / "a.txt").string();
  std::ofstream(file) << "one two three";
  const auto method = target_.method("auto");
  EXPECT_EQ(method->prepare(target_.for_methods()).name(), "ar");
  fill_in(*method, "reference", std::vector<std::string>{file});
  const PreparedMethod prepared = method->prepare(target_.for_methods());
  EXPECT_EQ(prepared.name(), "pld");
  EXPECT_EQ(prepared.record()["reference"], nlohmann::ordered_json({file}));
}

TEST_F(AutoTest, LooksPromptsUpInShortDraftsWhereNothingWasCalibrated) {
  test::TinyTarget tiny;
  const MethodTarget target(tiny.target().model(), tiny.target().engine());
  const PreparedMethod lookup = new_method("auto")->prepare(target);
  EXPECT_EQ(lookup.name(), "pld");
  EXPECT_EQ(lookup.record()["draft_length"], 2);
}

// By passes that are timed then: nothing else says what drafts cost there.
TEST_F(AutoTest, LookupsPauseWhereNothingWasCalibrated) {
  test::TinyTarget tiny;
  int notices = 0;
  const Notices count = {[&](const std::string&) { ++notices; }, {}};
  const auto costs = std::make_shared<cost::QuickCosts>("", count);
  const MethodTarget target(tiny.target().model(), tiny.target().engine(), 0, costs);
  EXPECT_TRUE(pauses(new_method("auto")->prepare(target)));
  EXPECT_EQ(notices, 1);
  EXPECT_FALSE(pauses(new_method("pld")->prepare(target))) << "only if it is asked for";
}

TEST_F(AutoTest, KeepsTheDraftLengthThatIsGiven) {
  calibrate({rate_at(0, 3, 150)}, {rate_at(0, 5, 140)});
  const auto method = target_.method("auto");
  fill_in(*method, "draft-length", 7);
  EXPECT_EQ(method->prepare(target_.for_methods()).record()["draft_length"], 7);
}

}  // namespace
}  // namespace outrider::methods

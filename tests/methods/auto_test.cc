#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <optional>

#include "runtime/artifacts/cost_group.h"
#include "runtime/artifacts/group_hash.h"
#include "runtime/artifacts/parallelspec_group.h"
#include "runtime/cost/stop_trials.h"
#include "runtime/engine/machine.h"
#include "tests/methods/calibrated_target.h"
#include "tests/support/tiny_parallelspec.h"

namespace outrider::methods {
namespace {

/// At a temperature, drafts of `draft_length` at `rate` where plain decoding makes 100 tokens a second.
test::CopiesAt rate_at(double temperature, int draft_length, std::int64_t rate) {
  return {temperature, {test::copied(draft_length, -1, rate)}};
}

/// The target, calibrated with these rates.
class AutoTest : public testing::Test {
 protected:
  /// @param by_step  of the heads at the first temperature
  void calibrate(const std::vector<test::CopiesAt>& layer, const std::vector<test::CopiesAt>& heads,
                 const std::optional<draft::PldPlusLengths>& by_step = {}) {
    const auto temperatures = [](const std::vector<test::CopiesAt>& tried) {
      std::vector<draft::PldPlusTemperature> found;
      for (const test::CopiesAt& one : tried) found.push_back({one.temperature});
      return found;
    };
    draft::PldPlusLayer states = test::some_layer();
    states.temperatures = temperatures(layer);
    states.by_layer_at.assign(3 * layer.size(), 1);
    states.by_logit_weight_at.assign(2 * layer.size(), 1);
    target_.write(artifacts::kPldPlusLayer, [&](hdf5::Writer& file, const std::string& group) {
      artifacts::write_pld_plus_layer(states, file, group);
    });
    draft::PldPlusHeads attention = test::two_chosen_heads();
    attention.temperatures = temperatures(heads);
    attention.temperatures.front().by_step = by_step;
    attention.sweep_at.assign(2 * heads.size(), 1);
    target_.write(artifacts::kPldPlusHeads, [&](hdf5::Writer& file, const std::string& group) {
      artifacts::write_pld_plus_heads(attention, file, group);
    });
    target_.write_copies("pld-plus-h", states.choice(), layer);
    target_.write_copies("pld-plus-a", attention.choice(), heads);
  }
  /// What `calibrate ssd` tried of the draft model, where rows and steps cost next to nothing.
  void write_draft(const std::string& machine, const std::vector<test::CopiesAt>& tried) {
    const std::string hash = artifacts::draft_hash(artifacts::ArtifactFile(target_.artifacts()));
    cost::Trials trials = {hash, 300, cost::kStopNames, {}};
    for (const auto& [temperature, rounds] : tried)
      trials.by_temperature.push_back({temperature, 100, rounds});
    target_.write_trials("ssd", trials);
    cost::DraftingCost drafting = target_.drafting_cost(hash);
    drafting.rows = {1};
    drafting.shares = {1e-9};
    target_.write_cost(machine, "ssd", drafting, 0);
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
  draft::PldPlusLengths lengths;
  lengths.sources = {100};
  lengths.accepted = {50, 50};
  lengths.seconds = {1, 1, 1};
  lengths.fixed_tokens_per_second = 10;
  lengths.tokens_per_second = 11;
  calibrate({rate_at(0, 3, 150)}, {rate_at(0, 5, 140)}, lengths);
  EXPECT_EQ(prepared(0).name(), "pld-plus-a");
  EXPECT_EQ(prepared(0).record()["draft_length"], 0);
}

TEST_F(AutoTest, DraftsWithTheDraftModelWhereThatIsFasterOnThisMachine) {
  calibrate({rate_at(0, 3, 150), rate_at(1, 2, 120)}, {rate_at(0, 5, 140), rate_at(1, 6, 130)});
  const auto write = [&](const std::string& machine) {
    write_draft(machine, {{0, {test::stopped_rounds("static", 4, 0, 100, 130, 4)}},
                          {1, {test::stopped_rounds("static", 4, 0, 100, 101, 4)}}});
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
  constexpr auto kEagle = draft::ParallelSpecModel::Flavour::kEagle;
  calibrate({rate_at(0, 3, 150)}, {rate_at(0, 5, 140)});
  const std::string drafter = artifacts::parallelspec_group(kEagle);
  target_.write(drafter, [&](hdf5::Writer& file, const std::string& group) {
    artifacts::write_parallelspec(
        test::tiny_parallelspec(target_.target().model(), {kEagle, true, 3}, 9), file, group);
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
  const auto write_rate = [&](double rate) {
    const auto tokens = static_cast<std::int64_t>(1000 * rate);
    write_draft(engine::machine_name(),
                {{0, {test::stopped_rounds("static", 4, 0, 1000, tokens, 4)}}});
  };
  write_rate(speed_up + 0.05);
  EXPECT_EQ(prepared(0).name(), "parallelspec-eagle");
  write_rate(speed_up / 0.87);
  EXPECT_EQ(prepared(0).name(), "parallelspec-eagle");
  write_rate(speed_up / 0.83);
  EXPECT_EQ(prepared(0).name(), "ssd");
}

/// What was found of copies and a draft model on another machine, which the choices here do not depend on.
class AutoElsewhereTest : public AutoTest {
 protected:
  AutoElsewhereTest() {
    calibrate({{0,
                {test::copied(1, -1, 140, 60), test::copied(4, -1, 190, 60),
                 test::copied(20, -1, 220, 60)}}},
              {rate_at(0, 1, 100)});
    write_draft("another machine", {{0,
                                     {test::stopped_rounds("static", 1, 0, 100, 160, 1),
                                      test::stopped_rounds("static", 4, 0, 100, 230, 4),
                                      test::stopped_rounds("static", 8, 0, 100, 250, 8)}}});
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
    const auto prepared = method->prepare({target.model(), target.engine(), {}});
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
  EXPECT_EQ(
      unguarded->prepare({tiny.target().model(), tiny.target().engine(), {}, 0, costs}).name(),
      "pld");
  const auto copies = target_.method("pld-plus-h");
  fill_in(*copies, "draft-length", 3);
  fill_in(*copies, "threshold", 0.5);
  copies->prepare({target_.target().model(), target_.target().engine(), {}, 0, costs});
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
  const MethodTarget target(tiny.target().model(), tiny.target().engine(), {});
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
  const MethodTarget target(tiny.target().model(), tiny.target().engine(), {}, 0, costs);
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

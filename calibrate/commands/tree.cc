#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "calibrate/commands/commands.h"
#include "calibrate/commands/draft_calibration.h"
#include "calibrate/commands/replay_work.h"
#include "calibrate/commands/thread_options.h"
#include "calibrate/commands/traced_answers.h"
#include "calibrate/replay/recomputed.h"
#include "calibrate/report/trials_report.h"
#include "calibrate/tree/level_recorder.h"
#include "calibrate/tree/tree_search.h"
#include "runtime/base/json_text.h"
#include "runtime/base/log.h"
#include "runtime/base/output.h"
#include "runtime/base/record_file.h"
#include "runtime/methods/list.h"
#include "runtime/report/trials_text.h"

namespace outrider::calibrate {
namespace {

using Flavour = draft::ParallelModel::Flavour;

constexpr const char* kTreeExamples =
    "Nothing is decoded: the drafter's best tokens of each depth are recorded at positions of the "
    "traces, ranked\n"
    "with the noise that decoding draws with, and the code that drafts replays trees on them: "
    "children by depth\n"
    "(--tree), depths (--draft-length), --draft-threshold. A tree grows by what adds the most "
    "accepted\n"
    "tokens per node; times are those of passes on this machine. A chain may be the fastest.\n\n"
    "Examples:\n"
    "  calibrate tree -m MODEL.gguf --data traces\n"
    "  calibrate tree -m MODEL.gguf --data traces --flavour medusa --positions 2000 --json -\n";

struct TreeOptions : DraftCalibrationOptions {
  std::string flavour = "eagle";
  int positions = 10'000;  // of each temperature
  TreeLimits limits = {.depths = 8, .children = 8, .nodes = 64};
  std::optional<double> follow_weight;  // as of runtime decode
};

std::vector<std::string> flavour_names() {
  std::vector<std::string> names;
  for (const Flavour flavour : draft::kFlavours) names.emplace_back(draft::name_of(flavour));
  return names;
}

/// What was tried at a temperature, with the speeds of this machine.
struct TreesAtTemperature : cost::TemperatureTrials {
  cost::Preference preference;

  const cost::Trial& chosen() const { return *best(kTreeNames, {}, preference); }
  double speed_up() const { return cost::TemperatureTrials::speed_up(chosen()); }
};

/// One call of `calibrate tree`.
class TreeCommand {
 public:
  explicit TreeCommand(const TreeOptions& options)
      : options_(options),
        flavour_(draft::flavour_named(options.flavour).value()),
        calibration_(options, "calibrate tree", draft::method_of(flavour_)),
        limits_(options.limits) {}

  void run() {
    calibration_.watch().listen();
    with_threads_.emplace(calibration_, options_.draft_threads, [this](int number) {
      return calibration_.load_parallel(flavour_, number);
    });
    limits_.depths = std::min(limits_.depths, model().most_drafts());
    const data::TraceStore store = calibration_.open_traces();
    const std::vector<Answer> answers = read_traced_answers(store, options_.limit);
    RecordFile json("--json", options_.json);  // after all that is read, which it must not empty
    for_each_temperature(
        answers_by_temperature(answers),
        [&](double temperature, const auto& some) { record(temperature, some, answers); });
    calibration_.end_share();
    measure(answers);
    for (const auto& [temperature, recorded] : recorded_) search(temperature, recorded);
    by_temperature_ = with_threads_->choose(drafting_);
    json.write(as_json());
    if (options_.json != "-") write_output(as_text());
    cost::Trials trials = {drafting_.drafter, context_, kTreeNames, {}};
    for (const TreesAtTemperature& one : by_temperature_) trials.by_temperature.push_back(one);
    calibration_.write_trials(store, {{draft::method_of(flavour_), trials}}, drafting_);
  }

 private:
  const draft::ParallelModel& model() const { return *with_threads_->most()->model; }

  void measure(const std::vector<Answer>& answers) {
    context_ = usual_context(calibration_.target().engine(), answers);
    drafting_ = calibration_.untimed();
    drafting_.rows = {1, 2, 3, 4, 6, 8, 12, 16};
    with_threads_->time(
        calibration_.target().engine(),
        [](const auto& drafter) {
          // Further choices are counted by temperature: DraftingCost::choice_share.
          cost::DraftModel timed = methods::drafter_to_time(drafter);
          timed.most_choices = 1;
          return timed;
        },
        context_, drafting_.rows, calibration_.watch());
    drafting_.choice_share = time_choices();
    const PassCosts costs = calibration_.costs(1 + limits_.nodes, context_);
    cost_origin_ = costs.origin;
    drafting_.passes = costs.timed;
    passes_ = costs.model;
  }

  /// DraftingCost::choice_share.
  double time_choices() {
    constexpr int kRows = 8;
    const auto share_of = [&](int most_choices) {
      cost::DraftModel model = methods::drafter_to_time(with_threads_->most());
      model.most_choices = most_choices;
      Watch unheard;
      return draft_pass_shares(calibration_.target().engine(), model, context_, {kRows}, unheard)
          .front();
    };
    return std::max(0.0, share_of(kRows) - share_of(1)) / (kRows - 1);
  }

  void record(double temperature, const std::vector<const Answer*>& some,
              const std::vector<Answer>& answers) {
    LevelRecorder recorder(model_of(with_threads_->most()), engine_of(with_threads_->most()),
                           with_threads_->most()->residual, limits_.depths, limits_.children,
                           calibration_.following(options_.follow_weight));
    limits_.children = recorder.children();
    Recomputed observations(calibration_.target().engine());
    const std::vector<Stretch> stretches = stretches_at(temperature, some, options_.positions,
                                                        recorder.last_position(), options_.data);
    const std::string what = fmt::format("drafts recorded at temperature {:g}", temperature);
    const auto record_one = [&](const Stretch& one) { return recorder.record(one, observations); };
    data::Journal& journal = calibration_.journal(
        fmt::format("{}-drafts-at-{:g}", draft::name_of(flavour_), temperature), answers,
        fmt::format("{} positions of temperature {:g}, {} depths of {}", options_.positions,
                    temperature, recorder.depths(), recorder.children()),
        stretches.size());
    announce_recording(what, stretches, journal, calibration_.watch(), record_one);
    recorded_[temperature] =
        record_stretches(stretches, what, calibration_.watch(), journal, record_one,
                         [&](const data::Journal::Entry& entry,
                             const Stretch& one) -> std::optional<RecordedLevels> {
                           RecordedLevels levels = recorder.empty_record(one);
                           const std::size_t levels_of_one =
                               (one.end - one.first) * static_cast<std::size_t>(recorder.depths());
                           if (!restore(entry, levels) || levels.levels.size() != levels_of_one)
                             return std::nullopt;
                           return levels;
                         });
  }

  void search(double temperature, const std::vector<RecordedLevels>& recorded) {
    std::size_t positions = 0;
    for (const RecordedLevels& one : recorded) positions += one.positions();
    TreeTrials trials = trials_on(recorded, model());
    trials.end_when([this] { return calibration_.watch().interrupted(); });
    with_threads_->add([&](const std::vector<double>& shares) {
      cost::DraftingCost drafting = drafting_;
      drafting.shares = shares;
      const auto prices = cost::TrialPrices::at(temperature, *passes_, context_, drafting);
      TreesAtTemperature found{{temperature, static_cast<std::int64_t>(positions),
                                search_trees(trials, limits_, prices)},
                               preference()};
      found.price(prices);
      return found;
    });
    if (!options_.quiet)
      print_log("temperature {:g}: {} trees tried at {} positions\n", temperature,
                trials.known().size(), positions);
  }

  cost::Preference preference() const {
    return methods::new_method(draft::method_of(flavour_))->preference();
  }

  std::string as_text() const {
    std::string text = drafting_text(calibration_.draft(), drafting_, context_, cost_origin_);
    for (const TreesAtTemperature& one : by_temperature_)
      text += fmt::format("\nTemperature {:g}: {} settings tried at {} positions\n{}",
                          one.temperature, one.trials.size(), one.positions,
                          report::chosen_text(one, kTreeNames, preference()));
    return text;
  }

  /// One JSON object on a line.
  std::string as_json() const {
    auto temperatures = nlohmann::ordered_json::array();
    for (const TreesAtTemperature& one : by_temperature_) {
      auto trials = nlohmann::ordered_json::array();
      for (const cost::Trial& trial : one.trials) trials.push_back(trial_json(trial, kTreeNames));
      temperatures.push_back({{"temperature", one.temperature},
                              {"positions", one.positions},
                              {"plain_tokens_per_second", one.plain_tokens_per_second},
                              {"chosen", trial_json(one.chosen(), kTreeNames)},
                              {"settings", std::move(trials)}});
    }
    nlohmann::ordered_json json = drafting_json(calibration_.draft(), drafting_, context_);
    json["method"] = draft::method_of(flavour_);
    json["temperatures"] = std::move(temperatures);
    return json_text(json) + "\n";
  }

  const TreeOptions& options_;
  Flavour flavour_;
  DraftCalibration calibration_;
  TreeLimits limits_;
  std::map<double, std::vector<RecordedLevels>> recorded_;  // by temperature
  cost::DraftingCost drafting_;
  int context_ = 0;  // tokens before passes
  std::string cost_origin_;
  std::vector<TreesAtTemperature> by_temperature_;
  std::optional<ThreadOptions<TreesAtTemperature, methods::LoadedParallel>> with_threads_;
  std::optional<cost::CostModel> passes_;
};

}  // namespace

cli::Command add_tree(CLI::App& program) {
  auto options = std::make_shared<TreeOptions>();
  cli::CommandOptions command(
      program, "tree",
      "Find the fastest trees and chains of a parallel drafter on this machine, for "
      "parallelspec-*, eagle-ar and medusa-heads");
  command.footer(kTreeExamples);
  declare_draft_calibration_flags(
      command, *options,
      "An artifact file with the drafter; what is found is used where decoding is given the same "
      "(default: that of the artifacts)");
  command.group("Recorded drafts");
  command
      .add_option("--flavour", options->flavour,
                  fmt::format("The flavour of the drafter: {}", fmt::join(flavour_names(), ", ")))
      .check(cli::one_of(flavour_names()));
  declare_positions_flag(command, options->positions, "drafts");
  TreeLimits& limits = options->limits;
  command.add_option("--children", limits.children, "Most children of a node that are tried")
      .check(cli::whole_number(1, 64));
  command
      .add_option("--depths", limits.depths,
                  "Most depths that are tried, as far as the drafter has masks for them")
      .check(cli::whole_number(1, 64));
  command
      .add_option("--follow-weight", options->follow_weight,
                  "As of runtime decode, for which trees are chosen (default: 0.6 where there are "
                  "counts of `calibrate followers`)")
      .check(cli::real_number(0, 10));
  command.add_option("--tree-nodes", limits.nodes, "Most nodes of a tree that are tried")
      .check(cli::whole_number(1, 256));
  declare_draft_calibration_output(command, *options);
  return result_command(command, options,
                        [](const TreeOptions& given) { TreeCommand(given).run(); });
}

}  // namespace outrider::calibrate

#include <fmt/core.h>

#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "calibrate/commands/commands.h"
#include "calibrate/commands/draft_calibration.h"
#include "calibrate/commands/replay_work.h"
#include "calibrate/commands/thread_options.h"
#include "calibrate/commands/traced_answers.h"
#include "calibrate/graph/graph_search.h"
#include "calibrate/graph/stretch_record.h"
#include "calibrate/report/graph_plot.h"
#include "calibrate/report/graph_report.h"
#include "runtime/base/log.h"
#include "runtime/base/output.h"
#include "runtime/base/output_file.h"
#include "runtime/base/record_file.h"
#include "runtime/draft/model/draft_vocabulary.h"

namespace outrider::calibrate {
namespace {

constexpr const char* kGraphExamples =
    "Nothing is decoded: at positions of the traces the draft model's tree is recorded down to "
    "the\n"
    "smallest probability, and every setting is replayed on these trees by the code that drafts: "
    "k, both\n"
    "thetas, tau, steps, nodes, --min-path. Times are those of passes on this machine. One child "
    "a node is\n"
    "a chain, which may be the fastest. Some five minutes for the defaults and two "
    "temperatures.\n\n"
    "Examples:\n"
    "  calibrate graph -m MODEL.gguf --data traces\n"
    "  calibrate graph -m MODEL.gguf --data traces --positions 500 --plot sweep.svg --json -\n";

struct GraphOptions : DraftCalibrationOptions {
  int positions = 2000;  // of each temperature
  RecordingLimits recording;
  std::string plot;
};

/// One call of `calibrate graph`.
class GraphCommand {
 public:
  explicit GraphCommand(const GraphOptions& options)
      : options_(options), calibration_(options, "calibrate graph", "gsd") {}

  void run() {
    calibration_.watch().listen();
    with_threads_.emplace(calibration_, options_.draft_threads,
                          [this](int number) { return calibration_.load(number); });
    found_.draft = calibration_.draft();
    const data::TraceStore store = calibration_.open_traces();
    const std::vector<Answer> answers = read_traced_answers(store, options_.limit);
    OutputFile plot("--plot", options_.plot);
    RecordFile json("--json", options_.json);  // after all that is read, which it must not empty
    for_each_temperature(
        answers_by_temperature(answers),
        [&](double temperature, const auto& some) { record(temperature, some, answers); });
    calibration_.end_share();
    measure(answers);
    for (auto& [temperature, recorded] : recorded_) search(temperature, recorded);
    found_.by_temperature = with_threads_->choose(found_.drafting);
    found_.recording = options_.recording;
    json.write(graph_findings_json(found_));
    plot.write_all(plot_of(found_));
    if (options_.json != "-" && !plot.is_standard_output())
      write_output(graph_findings_text(found_));
    calibration_.write_trials(store,
                              {{"tsd", trials_of(found_, false)}, {"gsd", trials_of(found_, true)}},
                              found_.drafting);
  }

 private:
  void print(const std::string& line) const {
    if (!options_.quiet) print_log("{}\n", line);
  }

  void measure(const std::vector<Answer>& answers) {
    found_.context = usual_context(calibration_.target().engine(), answers);
    found_.drafting = calibration_.untimed();
    found_.drafting.rows = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};
    with_threads_->time(
        calibration_.target().engine(),
        [](const auto& draft) {
          return cost::DraftModel{engine_of(draft), draft->model->head_tokens};
        },
        found_.context, found_.drafting.rows, calibration_.watch());
    const PassCosts costs = calibration_.costs(64, found_.context);
    found_.cost_origin = costs.origin;
    found_.drafting.passes = costs.timed;
    passes_ = costs.model;
  }

  draft::DraftVocabulary vocabulary() {
    const methods::LoadedDraft& draft = *with_threads_->most();
    return {draft.model->head_tokens, draft.engine->config().vocab,
            calibration_.target().model().config.vocab};
  }
  draft::NodeRanking ranking() {
    return {vocabulary(), with_threads_->most()->engine->score_kernels()};
  }

  /// What the trees of a temperature's answers depend on, besides the models.
  std::string settings_of(double temperature) const {
    const RecordingLimits& limits = options_.recording;
    return fmt::format("{} positions of temperature {:g}, {} children, {} steps, {} nodes, from {}",
                       options_.positions, temperature, limits.children, limits.steps, limits.nodes,
                       limits.probability);
  }

  void record(double temperature, const std::vector<const Answer*>& some,
              const std::vector<Answer>& answers) {
    const auto& most = with_threads_->most();
    TreeRecorder recorder(engine_of(most), most->model->head_tokens,
                          calibration_.target().model().config.vocab, options_.recording);
    draft::NodeRanking ranking = this->ranking();
    const auto record_one = [&](const Stretch& one) {
      RedundancyStudy redundancy(ranking, options_.recording.children);
      RecordedStretch stretch =
          recorder.record(*one.answer, one.first, one.end,
                          [&](RecordedStretch& trees, std::size_t position, auto logits) {
                            redundancy.add(trees, position, logits);
                          });
      return StretchRecord{std::move(stretch), redundancy.by_children()};
    };
    const std::vector<Stretch> stretches = stretches_at(temperature, some, options_.positions,
                                                        recorder.last_position(), options_.data);
    const std::string what = fmt::format("trees recorded at temperature {:g}", temperature);
    data::Journal& journal =
        calibration_.journal(fmt::format("trees-at-{:g}", temperature), answers,
                             settings_of(temperature), stretches.size());
    announce_recording(what, stretches, journal, calibration_.watch(), [&](const Stretch& one) {
      return recorder.record(*one.answer, one.first, one.end);
    });
    recorded_[temperature] =
        record_stretches(stretches, what, calibration_.watch(), journal, record_one,
                         [&](const data::Journal::Entry& entry, const Stretch& one) {
                           return record_of(entry, one, recorder.empty_tree());
                         });
  }

  void search(double temperature, std::vector<StretchRecord>& records) {
    std::vector<RecordedStretch> recorded;
    GraphsAtTemperature found;
    for (StretchRecord& one : records) {
      add(one.redundancy, found.redundancy);
      recorded.push_back(std::move(one.stretch));
    }
    found_.vocabulary = static_cast<int>(vocabulary().size());
    draft::NodeRanking ranking = this->ranking();
    GraphTrials trials(recorded, ranking);
    trials.end_when([this] { return calibration_.watch().interrupted(); });
    print(fmt::format("temperature {:g}: trying settings on {} trees", temperature,
                      trials.positions()));
    found.cut = trials.cut();
    with_threads_->add([&](const std::vector<double>& shares) {
      const cost::TrialPrices prices = {*passes_, found_.context, found_.drafting.rows, shares};
      const std::vector<GraphTrial> kept = search_graphs(trials, options_.recording, prices);
      for (const bool merges : {false, true}) {
        cost::TemperatureTrials& of_method = found.of_method(merges);
        of_method = {temperature, trials.positions(), trials_of_method(kept, merges)};
        of_method.price(prices);
      }
      return found;
    });
    print(fmt::format("temperature {:g}: {} settings tried", temperature, trials.known().size()));
  }

  const GraphOptions& options_;
  DraftCalibration calibration_;
  std::map<double, std::vector<StretchRecord>> recorded_;  // by temperature
  GraphFindings found_;
  std::optional<ThreadOptions<GraphsAtTemperature, methods::LoadedDraft>> with_threads_;
  std::optional<cost::CostModel> passes_;
};

}  // namespace

cli::Command add_graph(CLI::App& program) {
  auto options = std::make_shared<GraphOptions>();
  cli::CommandOptions command(
      program, "graph",
      "Find the fastest trees and graphs of a draft model on this machine, for tsd and gsd");
  command.footer(kGraphExamples);
  declare_draft_calibration_flags(command, *options);
  command.group("Recorded trees");
  declare_positions_flag(command, options->positions, "trees");
  RecordingLimits& recording = options->recording;
  command.add_option("--children", recording.children, "Most children of a node that are tried")
      .check(cli::whole_number(2, 16))
      .rare();
  command.add_option("--steps", recording.steps, "Most levels that are tried")
      .check(cli::whole_number(1, 16))
      .rare();
  command
      .add_option("--prune-probability", recording.probability,
                  "The least draft probability of an expanded node that is tried")
      .check(cli::real_number(0, 1))
      .rare();
  command
      .add_option("--tree-nodes", recording.nodes,
                  "Most nodes of a recorded tree; larger ones lack their least probable paths")
      .check(cli::whole_number(16, 2048))
      .rare();
  declare_draft_calibration_output(command, *options);
  command
      .add_option("--plot", options->plot,
                  "Also draw tokens per pass and drafted nodes against the settings, as SVG; - is "
                  "standard output")
      .type_name("FILE")
      .writes();
  return result_command(command, options,
                        [](const GraphOptions& given) { GraphCommand(given).run(); });
}

}  // namespace outrider::calibrate

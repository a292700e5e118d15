#include <fmt/core.h>

#include <memory>
#include <optional>
#include <utility>

#include "calibrate/answers/work_ahead.h"
#include "calibrate/commands/commands.h"
#include "calibrate/commands/draft_calibration.h"
#include "calibrate/commands/draft_report.h"
#include "calibrate/commands/traced_answers.h"
#include "runtime/artifacts/draft_settings.h"
#include "runtime/base/output.h"
#include "runtime/base/record_file.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/progress.h"
#include "runtime/cli/shown_watch.h"
#include "runtime/cost/time_steps.h"
#include "runtime/cost/timed_workers.h"

namespace outrider::calibrate {
namespace {

constexpr const char* kDraftExamples =
    "Nothing is decoded: the draft model reads the texts of the traces and draws, with their own "
    "noise,\n"
    "what it would draft in place of each token. A token outside its vocabulary counts as "
    "rejected; "
    "tokens in\n"
    "loops do not count.\n\n"
    "Examples:\n"
    "  calibrate draft -m MODEL.gguf --data traces\n"
    "  calibrate draft -m MODEL.gguf --data traces --draft SMALL.gguf --json -\n";

/// One call of `calibrate draft`.
class DraftCommand {
 public:
  explicit DraftCommand(const DraftCalibrationOptions& options)
      : options_(options),
        calibration_(options, "calibrate draft", artifacts::draft_settings_group),
        draft_(calibration_.load(options.draft_threads)) {
    found_.draft = calibration_.draft();
  }

  void run() {
    catch_interrupts();
    const data::TraceStore store = calibration_.open_traces();
    const std::vector<Answer> answers = read_traced_answers(store, options_.limit);
    RecordFile json("--json", options_.json);  // after all that is read, which it must not empty
    try_answers(answers);
    calibration_.end_share();
    measure(answers);
    choose();
    json.write(draft_findings_json(found_));
    if (options_.json != "-") write_output(draft_findings_text(found_));
    calibration_.write(store, [&](hdf5::Writer& file, const std::string& name) {
      artifacts::write_draft_settings(found_.settings, file, name);
    });
  }

 private:
  void measure(const std::vector<Answer>& answers) {
    calibration_.describe(answers, found_.settings);
    time_with(draft_);
    if (options_.draft_threads) return;
    for (const int threads : cost::timed_workers(calibration_.target().engine()))
      if (threads != found_.settings.threads) time_with(calibration_.load(threads));
  }

  /// Takes the times, and the number of threads, where a step's share of a pass is the least so far.
  void time_with(const std::shared_ptr<const methods::LoadedDraft>& draft) {
    cost::MachineDraftSettings& settings = found_.settings;
    const cost::StepTimes times =
        cost::time_steps(calibration_.target().engine(),
                         {engine_of(draft), draft->model->head_tokens}, settings.context);
    const double step = times.draft.median, pass = times.target.median;
    if (settings.draft_threads > 0 && step / pass >= settings.c()) return;
    settings.draft_threads = draft->engine->workers();
    settings.draft_seconds = step;
    settings.pass_seconds = pass;
  }

  void try_answers(const std::vector<Answer>& answers) {
    DraftTrials trials(*draft_->engine, draft_->model->head_tokens,
                       calibration_.target().model().config.vocab);
    data::Journal* journal =
        calibration_.journal("draft-texts", answers, "all that is drafted", answers.size());
    announce(journal == nullptr ? answers : journal->left_of(answers), trials);
    const auto add = [&](const Answer& answer, DraftTrial trial) {
      found_.trials[answer.temperature()].add(answer.task, std::move(trial));
    };
    cli::ShownWatch watch("calibrate draft", options_.result.minutes, options_.quiet);
    if (journal == nullptr) {
      for_each_answer("texts", answers, watch,
                      [&](const Answer& answer) { add(answer, trials.of(answer)); });
      return;
    }
    for_each_answer(
        "texts", answers, watch, *journal,
        [&](const Answer& answer) {
          DraftTrial trial = trials.of(answer);
          data::Journal::Entry entry = entry_of(trial);
          add(answer, std::move(trial));
          return entry;
        },
        [&](const Answer& answer, const data::Journal::Entry& entry) {
          std::optional<DraftTrial> trial = trial_of(entry);
          if (!trial) return false;
          add(answer, *std::move(trial));
          return true;
        });
  }

  void announce(const std::vector<Answer>& answers, DraftTrials& trials) const {
    if (options_.quiet || answers.empty()) return;
    const WorkAhead ahead = work_on(answers);
    cli::announce(
        "calibrate draft",
        {{fmt::format("{} texts read by the draft model, {} tokens", ahead.answers, ahead.tokens),
          ahead.seconds_of([&](const Answer& answer) { trials.of(answer); })}},
        options_.result.minutes, false);
  }

  /// The step's share of a pass as measured, the passes as the cost model has them: both were timed at
  /// different times, and only a ratio stays the same when the machine's load changes.
  void choose() {
    const int context = found_.settings.context;
    const PassCosts costs = calibration_.costs(17, context);
    found_.cost_origin = costs.origin;
    const auto pass_seconds = [&](int rows) {
      return costs.model.seconds({cost::Shape::kChain, rows, context});
    };
    for (const auto& [temperature, trials] : found_.trials)
      found_.settings.by_temperature.push_back(choose_draft_settings(
          trials, temperature, pass_seconds, found_.settings.c() * pass_seconds(1)));
  }

  const DraftCalibrationOptions& options_;
  DraftCalibration calibration_;
  std::shared_ptr<const methods::LoadedDraft> draft_;
  DraftFindings found_;
};

}  // namespace

cli::Command add_draft(CLI::App& program) {
  auto options = std::make_shared<DraftCalibrationOptions>();
  cli::CommandOptions command(
      program, "draft",
      "Measure a draft model's acceptance, and find its fastest draft lengths on this machine");
  command.footer(kDraftExamples);
  declare_draft_calibration_flags(command, *options);
  declare_draft_calibration_output(command, *options);
  return result_command(command, options,
                        [](const DraftCalibrationOptions& given) { DraftCommand(given).run(); });
}

}  // namespace outrider::calibrate

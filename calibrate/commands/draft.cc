#include <fmt/core.h>

#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "calibrate/answers/work_ahead.h"
#include "calibrate/commands/commands.h"
#include "calibrate/commands/draft_calibration.h"
#include "calibrate/commands/traced_answers.h"
#include "calibrate/report/draft_report.h"
#include "runtime/base/output.h"
#include "runtime/base/record_file.h"
#include "runtime/cost/stop_trials.h"
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
        calibration_(options, "calibrate draft", "ssd"),
        draft_(calibration_.load(options.draft_threads)) {}

  void run() {
    calibration_.watch().listen();
    const data::TraceStore store = calibration_.open_traces();
    const std::vector<Answer> answers = read_traced_answers(store, options_.limit);
    RecordFile json("--json", options_.json);  // after all that is read, which it must not empty
    try_answers(answers);
    calibration_.end_share();
    const int context = usual_context(calibration_.target().engine(), answers);
    StudyTrials tried = priced_rounds(context);
    const DraftFindings found = {calibration_.draft(), std::move(drafts_), std::move(tried)};
    json.write(draft_findings_json(found));
    if (options_.json != "-") write_output(draft_findings_text(found));
    calibration_.write_trials(store, {{"ssd", found.tried.trials}}, found.tried.drafting);
  }

 private:
  /// What was tried, with what drafting costs here.
  StudyTrials priced_rounds(int context) {
    StudyTrials found = {{"", context, cost::kStopNames, {}},
                         calibration_.untimed(),
                         calibration_.costs(17, context)};
    found.trials.drafter = found.drafting.drafter;
    measure(context, found.drafting);
    found.drafting.passes = found.costs.timed;
    for (const auto& [temperature, drafts] : drafts_) {
      cost::TemperatureTrials one = try_rounds(drafts, temperature);
      if (one.positions == 0) continue;
      one.price(cost::TrialPrices::at(temperature, found.costs.model, context, found.drafting));
      found.trials.by_temperature.push_back(std::move(one));
    }
    return found;
  }

  /// Fills in a step's share of a pass: both were timed at different times, and only a ratio stays the same when the
  /// machine's load changes.
  void measure(int context, cost::DraftingCost& drafting) {
    time_with(draft_, context, drafting);
    if (options_.draft_threads) return;
    for (const int threads : cost::timed_workers(calibration_.target().engine()))
      if (threads != drafting.threads) time_with(calibration_.load(threads), context, drafting);
  }

  /// Takes the share, and the number of threads, where it is the least so far.
  void time_with(const std::shared_ptr<const methods::LoadedDraft>& draft, int context,
                 cost::DraftingCost& drafting) {
    const cost::StepTimes times = cost::time_steps(
        calibration_.target().engine(), {engine_of(draft), draft->model->head_tokens}, context);
    const double share = times.draft.median / times.target.median;
    if (!drafting.rows.empty() && share >= drafting.shares.front()) return;
    drafting.draft_threads = draft->engine->workers();
    drafting.rows = {1};
    drafting.shares = {share};
  }

  void try_answers(const std::vector<Answer>& answers) {
    DraftTrials trials(*draft_->engine, draft_->model->head_tokens,
                       calibration_.target().model().config.vocab);
    data::Journal& journal =
        calibration_.journal("draft-texts", answers, "all that is drafted", answers.size());
    plan_answers(calibration_.watch(), journal.left_of(answers), "texts read by the draft model",
                 [&](const Answer& answer) { trials.of(answer); });
    const auto add = [&](const Answer& answer, DraftTrial trial) {
      drafts_[answer.temperature()].add(answer.task, std::move(trial));
    };
    for_each_answer(
        "texts", answers, calibration_.watch(), journal,
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

  const DraftCalibrationOptions& options_;
  DraftCalibration calibration_;
  std::shared_ptr<const methods::LoadedDraft> draft_;
  std::map<double, DraftsAtTemperature> drafts_;
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

#include "calibrate/studies/ssd_study.h"

#include <optional>
#include <utility>

#include "calibrate/answers/find_answers.h"
#include "calibrate/answers/work_ahead.h"
#include "calibrate/ssd/ssd_trial.h"
#include "runtime/cost/stop_trials.h"
#include "runtime/cost/time_steps.h"
#include "runtime/cost/timed_workers.h"

namespace outrider::calibrate {

SsdStudy::SsdStudy(inference::Target& target, const DrafterStudyOptions& options, Watch& watch)
    : options_(options),
      study_(target, options, "calibrate ssd", "ssd", watch),
      draft_(study_.load(options.draft_threads)),
      answers_(study_.read_answers()) {}

SsdFindings SsdStudy::run() {
  try_answers();
  study_.end_share();
  StudyTrials tried = priced_rounds();
  study_.write_trials({{"ssd", tried.trials}}, tried.drafting);
  return {study_.draft(), std::move(drafts_), std::move(tried)};
}

/// What was tried, with what drafting costs here.
StudyTrials SsdStudy::priced_rounds() {
  const int context = usual_context(study_.target().engine(), answers_);
  StudyTrials found = {
      {"", context, cost::kStopNames, {}}, study_.untimed(), study_.costs(17, context)};
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
void SsdStudy::measure(int context, cost::DraftingCost& drafting) {
  time_with(draft_, context, drafting);
  if (options_.draft_threads) return;
  for (const int threads : cost::timed_workers(study_.target().engine()))
    if (threads != drafting.threads) time_with(study_.load(threads), context, drafting);
}

/// Takes the share, and the number of threads, where it is the least so far.
void SsdStudy::time_with(const std::shared_ptr<const methods::LoadedDraft>& draft, int context,
                         cost::DraftingCost& drafting) {
  const cost::StepTimes times = cost::time_steps(
      study_.target().engine(), {engine_of(draft), draft->model->head_tokens}, context);
  const double share = times.draft.median / times.target.median;
  if (!drafting.rows.empty() && share >= drafting.shares.front()) return;
  drafting.draft_threads = draft->engine->workers();
  drafting.rows = {1};
  drafting.shares = {share};
}

void SsdStudy::try_answers() {
  SsdTrials trials(*draft_->engine, draft_->model->head_tokens,
                   study_.target().model().config.vocab);
  data::Journal& journal =
      study_.journal("draft-texts", answers_, "all that is drafted", answers_.size());
  plan_answers(study_.watch(), journal.left_of(answers_), "texts read by the draft model",
               [&](const Answer& answer) { trials.of(answer); });
  const auto add = [&](const Answer& answer, SsdTrial trial) {
    drafts_[answer.temperature()].add(answer.task, std::move(trial));
  };
  for_each_answer(
      "texts", answers_, study_.watch(), journal,
      [&](const Answer& answer) {
        SsdTrial trial = trials.of(answer);
        data::Journal::Entry entry = entry_of(trial);
        add(answer, std::move(trial));
        return entry;
      },
      [&](const Answer& answer, const data::Journal::Entry& entry) {
        std::optional<SsdTrial> trial = trial_of(entry);
        if (!trial) return false;
        add(answer, *std::move(trial));
        return true;
      });
}

}  // namespace outrider::calibrate

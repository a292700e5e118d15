#include "calibrate/studies/all_studies.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "calibrate/answers/made_traces.h"
#include "calibrate/answers/stored_answers.h"
#include "runtime/base/duration_text.h"
#include "runtime/base/error.h"
#include "runtime/base/interrupted.h"
#include "runtime/base/stopwatch.h"

namespace outrider::calibrate {
namespace {

constexpr double kShareOfTraces = 0.3;  // of the minutes
constexpr double kCostMinutes = 1;

/// Traces of as many samples as a part of the minutes has room for.
MadeTraces planned_traces(inference::Target& target, const AllStudies& all, Watch& watch) {
  MakingOptions making = all.answers.making;
  making.interrupted = [&watch] { return watch.interrupted(); };
  const double minutes = all.minutes > 0 ? all.minutes : kMinutesOfAll;
  return {target, making, all.traces, 60 * kShareOfTraces * minutes};
}

/// The work on answers that are there, or are going to be made, and the answers that are there.
std::pair<WorkAhead, std::vector<Answer>> work_of(const inference::Target& target,
                                                  const std::string& data,
                                                  const std::optional<MadeTraces>& traces) {
  std::vector<Answer> answers;
  if (traces) {
    if (traces->ahead().to_make == 0)
      answers = read_stored_answers(data::TraceStore(traces->folder()));
    return {traces->ahead(), std::move(answers)};
  }
  if (!data.empty()) answers = read_stored_answers(open_traces(data, target));
  WorkAhead ahead = work_on(answers);
  return {std::move(ahead), std::move(answers)};
}

void tell_plan(inference::Target& target, const AllStudies& all,
               const std::optional<MadeTraces>& traces, std::vector<MissingStudy>& studies,
               Watch& watch) {
  if (!watch.is_heard()) return;
  const auto [ahead, answers] = work_of(target, all.answers.data, traces);
  estimate(target, ahead, answers, all.files, studies);
  std::vector<PlannedPart> parts;
  if (ahead.to_make > 0)
    parts.push_back({fmt::format("{} prompts answered into {}", ahead.to_make, all.traces.string()),
                     ahead.making_seconds});
  for (const MissingStudy& study : studies)
    if (study.seconds) parts.push_back({study.command(), *study.seconds});
  watch.plan(parts);
  for (const MissingStudy& study : studies) {
    if (!study.outcome.empty())
      watch.inform(fmt::format("  {} is left out: {}", study.command(), study.outcome));
    else if (!study.seconds)
      watch.inform(fmt::format("  {} says when it begins how long it takes", study.command()));
  }
}

/// @return whether the work ended, and was not interrupted
bool ends(const std::function<void()>& work, Watch& watch) {
  if (watch.interrupted()) return false;
  try {
    work();
    return true;
  } catch (const Interrupted&) {
    return false;
  }
}

bool make(MadeTraces& traces, Watch& watch) {
  bool has_begun = false;
  const bool are_made = ends(
      [&] {
        traces.make([&](std::int64_t done, std::int64_t total) {
          if (!std::exchange(has_begun, true)) watch.begin("conversations", total);
          watch.show(done);
        });
      },
      watch);
  watch.end();
  return are_made;
}

bool do_each(const std::string& traces, const DoStudy& do_study, DoneStudies& done, Watch& watch) {
  for (MissingStudy& study : done.studies) {
    if (!study.outcome.empty()) continue;
    const Stopwatch time;
    try {
      if (!ends([&] { do_study(study, traces); }, watch)) return false;
      study.outcome = fmt::format("done in {}", duration_text(time.seconds()));
    } catch (const InputError& error) {
      // Texts that do for one study need not do for another, so the others are done.
      study.outcome = fmt::format("not done: {}", error.what());
      done.failed.push_back(study.command());
    }
  }
  return true;
}

}  // namespace

DoneStudies do_all_studies(std::unique_ptr<inference::Target> target, const AllStudies& all,
                           const DoStudy& do_study, Watch& watch) {
  DoneStudies done;
  done.studies = missing_studies(
      all.files.known(artifacts::identity_of(target->model()), watch), target->engine(), all.again,
      all.minutes > 0 ? std::min(kCostMinutes, all.minutes) : kCostMinutes);
  const bool needs_traces =
      std::any_of(done.studies.begin(), done.studies.end(),
                  [](const MissingStudy& one) { return one.outcome.empty() && one.needs_traces; });
  std::optional<MadeTraces> traces;
  if (needs_traces && all.answers.data.empty()) traces.emplace(planned_traces(*target, all, watch));
  tell_plan(*target, all, traces, done.studies, watch);
  done.whole = !traces || make(*traces, watch);
  if (!done.whole) return done;
  target.reset();
  done.whole = do_each(traces ? all.traces.string() : all.answers.data, do_study, done, watch);
  return done;
}

}  // namespace outrider::calibrate

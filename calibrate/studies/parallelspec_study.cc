#include "calibrate/studies/parallelspec_study.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "calibrate/answers/find_answers.h"
#include "calibrate/answers/traced_answers.h"
#include "calibrate/replay/recomputed.h"
#include "calibrate/trials/record_stretches.h"
#include "runtime/methods/list.h"

namespace outrider::calibrate {

ParallelSpecStudy::ParallelSpecStudy(inference::Target& target, const DrafterStudyOptions& drafter,
                                     const ParallelSpecStudyOptions& options, Watch& watch)
    : drafter_(drafter),
      options_(options),
      study_(target, drafter, "calibrate parallelspec", draft::method_of(options.flavour), watch),
      with_threads_(
          target.engine(), drafter.draft_threads,
          [this](int number) { return study_.load_parallelspec(options_.flavour, number); }),
      limits_(options.limits),
      answers_(study_.read_answers()) {
  limits_.depths = std::min(limits_.depths, model().most_drafts());
}

ParallelSpecFindings ParallelSpecStudy::run() {
  found_.draft = study_.draft();
  found_.method = draft::method_of(options_.flavour);
  for_each_temperature(answers_by_temperature(answers_),
                       [&](double temperature, const auto& some) { record(temperature, some); });
  study_.end_share();
  measure();
  for (const auto& [temperature, recorded] : recorded_) search(temperature, recorded);
  found_.by_temperature = with_threads_.choose(found_.drafting);
  cost::Trials trials = {found_.drafting.drafter, found_.context, kParallelSpecNames, {}};
  for (const ParallelSpecAtTemperature& one : found_.by_temperature)
    trials.by_temperature.push_back(one);
  study_.write_trials({{found_.method, trials}}, found_.drafting);
  return std::move(found_);
}

void ParallelSpecStudy::measure() {
  found_.context = usual_context(study_.target().engine(), answers_);
  found_.drafting = study_.untimed();
  found_.drafting.rows = {1, 2, 3, 4, 6, 8, 12, 16};
  with_threads_.time(
      study_.target().engine(),
      [](const auto& drafter) {
        // Further choices are counted by temperature: DraftingCost::choice_share.
        cost::DraftModel timed = methods::drafter_to_time(drafter);
        timed.most_choices = 1;
        return timed;
      },
      found_.context, found_.drafting.rows, study_.watch());
  found_.drafting.choice_share = time_choices();
  const PassCosts costs = study_.costs(1 + limits_.nodes, found_.context);
  found_.cost_origin = costs.origin;
  found_.drafting.passes = costs.timed;
  passes_ = costs.model;
}

/// DraftingCost::choice_share.
double ParallelSpecStudy::time_choices() {
  constexpr int kRows = 8;
  const auto share_of = [&](int most_choices) {
    cost::DraftModel model = methods::drafter_to_time(with_threads_.most());
    model.most_choices = most_choices;
    Watch unheard;
    return draft_pass_shares(study_.target().engine(), model, found_.context, {kRows}, unheard)
        .front();
  };
  return std::max(0.0, share_of(kRows) - share_of(1)) / (kRows - 1);
}

void ParallelSpecStudy::record(double temperature, const std::vector<const Answer*>& some) {
  LevelRecorder recorder(model_of(with_threads_.most()), engine_of(with_threads_.most()),
                         with_threads_.most()->residual, limits_.depths, limits_.children,
                         study_.pair_weights(options_.follow_weight));
  limits_.children = recorder.children();
  Recomputed observations(study_.target().engine());
  const std::vector<Stretch> stretches =
      stretches_at(temperature, some, options_.positions, recorder.last_position(), drafter_.data);
  const std::string what = fmt::format("drafts recorded at temperature {:g}", temperature);
  const auto record_one = [&](const Stretch& one) { return recorder.record(one, observations); };
  data::Journal& journal = study_.journal(
      fmt::format("{}-drafts-at-{:g}", draft::name_of(options_.flavour), temperature), answers_,
      fmt::format("{} positions of temperature {:g}, {} depths of {}", options_.positions,
                  temperature, recorder.depths(), recorder.children()),
      stretches.size());
  announce_recording(what, stretches, journal, study_.watch(), record_one);
  recorded_[temperature] = record_stretches(
      stretches, what, study_.watch(), journal, record_one,
      [&](const data::Journal::Entry& entry, const Stretch& one) -> std::optional<RecordedLevels> {
        RecordedLevels levels = recorder.empty_record(one);
        const std::size_t levels_of_one =
            (one.end - one.first) * static_cast<std::size_t>(recorder.depths());
        if (!restore(entry, levels) || levels.levels.size() != levels_of_one) return std::nullopt;
        return levels;
      });
}

void ParallelSpecStudy::search(double temperature, const std::vector<RecordedLevels>& recorded) {
  std::size_t positions = 0;
  for (const RecordedLevels& one : recorded) positions += one.positions();
  ParallelSpecTrials trials = trials_on(recorded, model());
  trials.end_when([this] { return study_.watch().interrupted(); });
  with_threads_.add([&](const std::vector<double>& shares) {
    cost::DraftingCost drafting = found_.drafting;
    drafting.shares = shares;
    const auto prices = cost::TrialPrices::at(temperature, *passes_, found_.context, drafting);
    ParallelSpecAtTemperature found{
        {temperature, static_cast<std::int64_t>(positions), search_trees(trials, limits_, prices)},
        methods::new_method(found_.method)->preference()};
    found.price(prices);
    return found;
  });
  study_.watch().inform(fmt::format("temperature {:g}: {} trees tried at {} positions", temperature,
                                    trials.known().size(), positions));
}

}  // namespace outrider::calibrate

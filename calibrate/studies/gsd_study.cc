#include "calibrate/studies/gsd_study.h"

#include <fmt/core.h>

#include <utility>

#include "calibrate/answers/find_answers.h"
#include "calibrate/answers/traced_answers.h"
#include "calibrate/gsd/gsd_search.h"
#include "calibrate/trials/record_stretches.h"
#include "runtime/methods/gsd.h"

namespace outrider::calibrate {

const cost::Trial& best_graph(const cost::TemperatureTrials& priced) {
  return *priced.best(kGsdNames, {}, methods::Gsd(true).preference());
}

double GsdAtTemperature::speed_up() const { return gsd.speed_up(best_graph(gsd)); }

cost::Trials trials_of(const GsdFindings& found, bool merges) {
  cost::Trials trials = {found.drafting.drafter, found.context, kGsdNames, {}};
  for (const GsdAtTemperature& one : found.by_temperature)
    trials.by_temperature.push_back(one.trials(merges));
  return trials;
}

GsdStudy::GsdStudy(inference::Target& target, const DrafterStudyOptions& drafter,
                   const GsdStudyOptions& options, Watch& watch)
    : drafter_(drafter),
      options_(options),
      study_(target, drafter, "calibrate gsd", "gsd", watch),
      with_threads_(target.engine(), drafter.draft_threads,
                    [this](int number) { return study_.load(number); }),
      answers_(study_.read_answers()) {}

GsdFindings GsdStudy::run() {
  found_.draft = study_.draft();
  for_each_temperature(answers_by_temperature(answers_),
                       [&](double temperature, const auto& some) { record(temperature, some); });
  study_.end_share();
  measure();
  for (auto& [temperature, recorded] : recorded_) search(temperature, recorded);
  found_.by_temperature = with_threads_.choose(found_.drafting);
  found_.recording = options_.recording;
  study_.write_trials({{"tsd", trials_of(found_, false)}, {"gsd", trials_of(found_, true)}},
                      found_.drafting);
  return std::move(found_);
}

void GsdStudy::measure() {
  found_.context = usual_context(study_.target().engine(), answers_);
  found_.drafting = study_.untimed();
  found_.drafting.rows = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};
  with_threads_.time(
      study_.target().engine(),
      [](const auto& draft) {
        return cost::DraftModel{engine_of(draft), draft->model->head_tokens};
      },
      found_.context, found_.drafting.rows, study_.watch());
  const PassCosts costs = study_.costs(64, found_.context);
  found_.cost_origin = costs.origin;
  found_.drafting.passes = costs.timed;
  passes_ = costs.model;
}

sampling::HeadVocabulary GsdStudy::vocabulary() {
  const methods::LoadedDraft& draft = *with_threads_.most();
  return {draft.model->head_tokens, draft.engine->config().vocab,
          study_.target().model().config.vocab};
}
draft::NodeRanking GsdStudy::ranking() { return {*with_threads_.most()->engine, vocabulary()}; }

/// What the trees of a temperature's answers depend on, besides the models.
std::string GsdStudy::settings_of(double temperature) const {
  const RecordingLimits& limits = options_.recording;
  return fmt::format("{} positions of temperature {:g}, {} children, {} steps, {} nodes, from {}",
                     options_.positions, temperature, limits.children, limits.steps, limits.nodes,
                     limits.probability);
}

void GsdStudy::record(double temperature, const std::vector<const Answer*>& some) {
  const auto& most = with_threads_.most();
  TreeRecorder recorder(engine_of(most), most->model->head_tokens,
                        study_.target().model().config.vocab, options_.recording);
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
  const std::vector<Stretch> stretches =
      stretches_at(temperature, some, options_.positions, recorder.last_position(), drafter_.data);
  const std::string what = fmt::format("trees recorded at temperature {:g}", temperature);
  data::Journal& journal = study_.journal(fmt::format("trees-at-{:g}", temperature), answers_,
                                          settings_of(temperature), stretches.size());
  announce_recording(what, stretches, journal, study_.watch(), [&](const Stretch& one) {
    return recorder.record(*one.answer, one.first, one.end);
  });
  recorded_[temperature] =
      record_stretches(stretches, what, study_.watch(), journal, record_one,
                       [&](const data::Journal::Entry& entry, const Stretch& one) {
                         return record_of(entry, one, recorder.empty_tree());
                       });
}

void GsdStudy::search(double temperature, std::vector<StretchRecord>& records) {
  std::vector<RecordedStretch> recorded;
  GsdAtTemperature found;
  for (StretchRecord& one : records) {
    add(one.redundancy, found.redundancy);
    recorded.push_back(std::move(one.stretch));
  }
  found_.vocabulary = static_cast<int>(vocabulary().size());
  draft::NodeRanking ranking = this->ranking();
  GsdTrials trials(recorded, ranking);
  trials.end_when([this] { return study_.watch().interrupted(); });
  study_.watch().inform(fmt::format("temperature {:g}: trying settings on {} trees", temperature,
                                    trials.positions()));
  found.cut = trials.cut();
  with_threads_.add([&](const std::vector<double>& shares) {
    const cost::TrialPrices prices = {*passes_, found_.context, found_.drafting.rows, shares};
    const std::vector<GsdTrial> kept = search_graphs(trials, options_.recording, prices);
    for (const bool merges : {false, true}) {
      cost::TemperatureTrials& of_kind = found.trials(merges);
      of_kind = {temperature, trials.positions(), trials_by_merging(kept, merges)};
      of_kind.price(prices);
    }
    return found;
  });
  study_.watch().inform(
      fmt::format("temperature {:g}: {} settings tried", temperature, trials.known().size()));
}

}  // namespace outrider::calibrate

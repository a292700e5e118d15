#include "calibrate/studies/layer_study.h"

#include <algorithm>
#include <utility>

#include "calibrate/answers/journal_of.h"
#include "calibrate/pld_plus/state_choices.h"
#include "calibrate/pld_plus/state_sweep.h"
#include "calibrate/studies/copy_trials.h"
#include "calibrate/studies/left_of_studies.h"
#include "calibrate/studies/study_plans.h"
#include "runtime/artifacts/pld_plus_group.h"

namespace outrider::calibrate {
namespace {

const std::vector<double> kThresholds = {-1, -0.75, -0.5, 0, 0.5, 0.75, 0.9};

/// Tokens per pass of each ranking of the table from `first` on.
std::vector<double> by_ranking(const CopyTable& table, int draft_length, std::size_t first = 0) {
  std::vector<double> values;
  for (std::size_t ranking = first; ranking < table.rankings(); ++ranking)
    values.push_back(table.replay(ranking, {.draft_length = draft_length}).tokens_per_pass());
  return values;
}

/// [temperatures, rankings] The same for the answers of each temperature.
std::vector<double> by_ranking_at(const CopyTable& table, int draft_length, std::size_t first = 0) {
  std::vector<double> values;
  const auto tables = table.by_temperature();
  for (const auto& [temperature, answered] : tables) {
    const std::vector<double> of_these = by_ranking(answered, draft_length, first);
    values.insert(values.end(), of_these.begin(), of_these.end());
  }
  return values;
}

draft::PldPlusLayer curve(const StateSweep& sweep, int draft_length) {
  draft::PldPlusLayer found;
  found.draft_length = draft_length;
  found.by_layer = by_ranking(sweep.table(), draft_length);
  found.by_layer_at = by_ranking_at(sweep.table(), draft_length);
  const auto best = std::max_element(found.by_layer.begin(), found.by_layer.end());
  found.chosen = static_cast<int>(best - found.by_layer.begin());
  return found;
}

/// Records the results of averages and weights, and the best weight: the smallest on a tie.
/// @return the ranking with that weight
CopyTable note_means_and_weights(const CopyTable& table, int draft_length,
                                 draft::PldPlusLayer& found) {
  found.by_mean = by_ranking(table, draft_length);
  found.by_mean.resize(kMostAveraged);
  found.logit_weights = logit_weights();
  found.by_logit_weight = by_ranking(table, draft_length, kMostAveraged);
  found.by_logit_weight_at = by_ranking_at(table, draft_length, kMostAveraged);
  const auto& by_weight = found.by_logit_weight;
  const auto best = std::max_element(by_weight.begin(), by_weight.end()) - by_weight.begin();
  found.logit_weight = logit_weights()[static_cast<std::size_t>(best)];
  return table.only(static_cast<std::size_t>(kMostAveraged + best));
}

/// Adds the answers to a sweep, from the journal where it has them.
void look_at(StateSweep& sweep, const std::string& what, const Answers& answers,
             data::Journal& journal, Watch& watch) {
  for_each_answer(
      what, answers.all, watch, journal,
      [&](const Answer& answer) {
        sweep.add(answer);
        return sweep.table().last_noted();
      },
      [&](const Answer& answer, const data::Journal::Entry& kept) {
        return sweep.table().restore(answer, kept);
      });
}

}  // namespace

FoundLayer find_layer(inference::Target& target, const CopyStudy& study, Watch& watch) {
  const StudyFiles& files = study.files;
  const auto identity = artifacts::identity_of(target.model());
  check_trials_files(files, identity, target.engine().place().name, "pld-plus-h");
  const WorkShare share = files.share(watch);
  bool is_announced = false;
  /// @param every, averaged  what is left of the two parts
  const auto announce_once = [&](const WorkAhead& ahead, const WorkAhead& every,
                                 const WorkAhead& averaged) {
    if (!watch.is_heard() || std::exchange(is_announced, true)) return;
    std::vector<PlannedPart> parts = making_part(ahead);
    for (PlannedPart& part : layer_parts(target.engine(), every, averaged))
      parts.push_back(std::move(part));
    watch.plan(parts);
  };
  Answers answers = find_answers(target, study.answers, files.artifact, "layer-answers", watch,
                                 [&](const WorkAhead& ahead) {
                                   if (ahead.to_make > 0) announce_once(ahead, ahead, ahead);
                                 });
  data::Journal of_layers =
      journal_of(files.artifact, kLayersTried, target, answers.all, "", share, answers.all.size());
  if (const auto left = of_layers.left_of(answers.all); !left.empty())
    announce_once({}, work_on(left), of_layers.is_part() ? WorkAhead() : work_on(answers.all));
  StateSweep layers(target.engine(), every_layer(target.model().config));
  look_at(layers, "answers", answers, of_layers, watch);
  draft::PldPlusLayer found = curve(layers, study.draft_length);
  data::Journal of_chosen =
      journal_of(files.artifact, kLayerAveraged, target, answers.all,
                 settings_of_averaged(study.draft_length), share, answers.all.size());
  announce_once({}, {}, work_on(of_chosen.left_of(answers.all)));
  StateSweep chosen(target.engine(), means_and_weights(found.chosen));
  look_at(chosen, "answers, states averaged and logits weighed", answers, of_chosen, watch);
  end_share(share);
  const CopyTable weighed = note_means_and_weights(chosen.table(), study.draft_length, found);
  CopyTrials copies =
      try_copies(target.engine(), answers.all, kThresholds, files.known(identity, watch), weighed);
  found.temperatures = std::move(copies.temperatures);
  copies.tried.set_drafter(found.choice());
  const MadeBy how = {"calibrate layer", target.engine().place(), answers.seed, answers.identity};
  files.write(identity, artifacts::kPldPlusLayer, how,
              [&](hdf5::Writer& file, const std::string& group) {
                artifacts::write_pld_plus_layer(found, file, group);
              });
  write_trials(files, identity, how, {{"pld-plus-h", copies.tried.trials}}, copies.tried.drafting);
  of_layers.remove();
  of_chosen.remove();
  if (answers.made) answers.made->remove();
  return {std::move(found), std::move(copies.tried)};
}

}  // namespace outrider::calibrate

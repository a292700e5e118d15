#pragma once

#include <string>
#include <vector>

#include "runtime/artifacts/drafting_cost_group.h"
#include "runtime/artifacts/replace_group.h"
#include "runtime/artifacts/trials_group.h"
#include "runtime/draft/copy/pld_plus_heads.h"
#include "runtime/draft/copy/pld_plus_layer.h"
#include "tests/support/some_trials.h"

namespace outrider::test {

/// A trial of 100 rounds that add so many tokens. @param drafting  rounds that draft as many tokens as they may
inline cost::Trial copied(int draft_length, double threshold, std::int64_t tokens,
                          std::int32_t drafting = 0) {
  cost::Trial made;
  made.settings = {{"draft-length", static_cast<double>(draft_length)}, {"threshold", threshold}};
  made.rounds = 100;
  made.tokens = tokens;
  made.drafted = drafting * draft_length;
  made.verified.add(1, 100 - drafting);
  made.verified.add(1 + draft_length, drafting);
  return made;
}

/// What was tried at a temperature.
struct CopiesAt {
  double temperature;
  std::vector<cost::Trial> trials;
};

/// Stores trials of PLD+, and that where they were made rows cost nothing. @param choice  of PldPlusLayer or PldPlusHeads
inline void write_copies(const std::string& path, const artifacts::TargetIdentity& target,
                         const std::string& method, const std::string& choice,
                         const std::vector<CopiesAt>& tried) {
  cost::Trials trials = {choice, 10, {"draft-length", "threshold"}, {}};
  for (const CopiesAt& one : tried)
    trials.by_temperature.push_back({one.temperature, 100, one.trials});
  artifacts::replace_group(path, target, artifacts::trials_group(method), {},
                           [&](hdf5::Writer& file, const std::string& group) {
                             artifacts::write_trials(trials, file, group);
                           });
  const cost::DraftingCost cost = {.drafter = choice, .threads = 1, .passes = some_passes(0, 0)};
  artifacts::replace_group(path, target,
                           artifacts::drafting_cost_group("where it was calibrated", method), {},
                           [&](hdf5::Writer& file, const std::string& group) {
                             artifacts::write_drafting_cost(cost, file, group);
                           });
}

/// Of a model of two layers.
inline draft::PldPlusLayer some_layer() {
  draft::PldPlusLayer found;
  found.by_layer = {1, 2, 1};
  found.draft_length = 10;
  found.chosen = 1;
  found.by_layer_at = {1, 2, 1, 1, 2, 1};
  found.temperatures = {{0}, {1}};
  found.logit_weights = {0, 0.25};
  found.by_logit_weight = {1, 2};
  found.by_logit_weight_at = {1, 2, 1, 2};
  found.logit_weight = 0.25;
  return found;
}

/// With that layer.
inline std::vector<CopiesAt> some_copies() {
  return {{0, {copied(3, 0.75, 150)}}, {1, {copied(2, 0.5, 120)}}};
}

/// Of a model of two layers with four heads each, of which 2:1 and 1:3 are chosen.
inline draft::PldPlusHeads two_chosen_heads() {
  draft::PldPlusHeads found;
  found.layers = 2;
  found.heads = 4;
  found.tasks = {"task"};
  found.tokens = {8, 8};
  found.hits.assign(16, 1);
  found.ranking = {2, 1, 1, 3, 1, 0, 1, 1, 1, 2, 2, 0, 2, 2, 2, 3};
  found.sweep_heads = {2};
  found.sweep = {1, 2};
  found.layer_sweep = {1, 1, 1, 1};
  found.draft_length = 10;
  found.chosen = 2;
  found.aggregation = "sum";
  found.sweep_at = found.sweep;
  draft::PldPlusLengths& lengths = found.temperatures.emplace_back().by_step.emplace();
  lengths.sources = {100};
  lengths.accepted = {50, 50};
  lengths.seconds = {1, 1, 1};
  return found;
}

}  // namespace outrider::test

#pragma once

#include "runtime/draft/copy/pld_plus_heads.h"
#include "runtime/draft/copy/pld_plus_layer.h"

namespace outrider::test {

inline draft::PldPlusSettings settings_at(double temperature, int draft_length, double threshold) {
  draft::PldPlusSettings settings;
  settings.temperature = temperature;
  settings.draft_length = draft_length;
  settings.threshold = threshold;
  return settings;
}

/// Of a model of two layers.
inline draft::PldPlusLayer some_layer() {
  draft::PldPlusLayer found;
  found.by_layer = {1, 2, 1};
  found.draft_length = 10;
  found.chosen = 1;
  found.by_layer_at = {1, 2, 1, 1, 2, 1};
  found.settings = {settings_at(0, 3, 0.75), settings_at(1, 2, 0.5)};
  found.logit_weights = {0, 0.25};
  found.by_logit_weight = {1, 2};
  found.by_logit_weight_at = {1, 2, 1, 2};
  found.logit_weight = 0.25;
  return found;
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
  found.settings = {settings_at(0, 5, -1)};
  draft::PldPlusLengths& lengths = found.settings[0].by_step.emplace();
  lengths.sources = {100};
  lengths.accepted = {50, 50};
  lengths.seconds = {1, 1, 1};
  return found;
}

}  // namespace outrider::test

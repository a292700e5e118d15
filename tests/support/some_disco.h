#pragma once

#include "runtime/artifacts/disco.h"
#include "tests/support/some_classifier.h"

namespace outrider::test {

/// What `train disco` might find: at temperature 0 rounds of 5 tokens and tau 0.5 are the fastest with a
/// classifier, at 1 rounds of 2 and 0.2; of static rounds those of 5, by the draft's probability those of 5 and 0.2,
/// along the path those of 2 and 0.2. At 1 the threshold is along the path unless it is to be as published.
inline artifacts::TrainedDisco some_disco(const std::string& draft, bool published = false) {
  artifacts::TrainedStop stop;
  stop.classifier = *alternating_classifier();
  stop.label = "hard";
  stop.settings = {0, 0.5, 0.9, 400, {0, 0.2, 0.5}, {2, 5}, {}, {}, {}};
  stop.settings.tokens_per_round.assign(6, 2);
  stop.settings.drafted_per_round.assign(6, 3);
  stop.settings.tokens_per_second = {700, 500, 500, 510, 520, 530};
  stop.confidence = stop.path = stop.settings;
  stop.confidence->tokens_per_second = {500, 600, 500, 530, 520, 500};
  stop.path->tokens_per_second = {500, 600, 710, 510, 520, 500};
  stop.auc = 0.9;
  stop.f1 = 0.8;
  stop.share = {0.25, 0.75};
  stop.predicted = {0.2, 0.8};
  stop.accepted = {0.3, 0.7};
  artifacts::TrainedDisco disco = {draft, "some machine", {stop, stop}};
  disco.by_temperature[1].label = "soft";
  disco.by_temperature[1].settings.along_path.assign(
      disco.by_temperature[1].settings.thresholds.size(), 1);
  disco.by_temperature[1].classifier.output_bias = 3;
  disco.by_temperature[1].settings.temperature = 1;
  disco.by_temperature[1].settings.tokens_per_second = {500, 500, 540, 510, 520, 530};
  if (published) disco.by_temperature[1].settings.along_path.clear();
  return disco;
}

}  // namespace outrider::test

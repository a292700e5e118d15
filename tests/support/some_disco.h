#pragma once

#include "runtime/artifacts/disco_group.h"
#include "tests/support/some_classifier.h"
#include "tests/support/some_trials.h"

namespace outrider::test {

/// What `train disco` might find: at temperature 0 rounds of 5 tokens and tau 0.5 are the fastest with a
/// classifier, at 1 rounds of 2 and 0.2; of static rounds those of 5, by the draft's probability those of 5 and 0.2,
/// along the path those of 2 and 0.2. At 1 the threshold is along the path unless it is to be as published.
inline artifacts::TrainedDisco some_disco(const std::string& draft, bool published = false) {
  const auto rounds = [](const std::string& stop, int length, double threshold,
                         std::int64_t tokens) {
    return stopped_rounds(stop, length, threshold, 100, tokens, 3);
  };
  artifacts::TrainedStop stop;
  stop.classifier = *alternating_classifier();
  stop.label = "hard";
  stop.trials = {0, 300, {rounds("static", 2, 0, 200), rounds("static", 5, 0, 210)}};
  stop.chosen["static"] = stop.trials.trials.back().settings;
  for (const std::string policy : {"confidence", "path", "classifier"})
    for (const double threshold : {0.2, 0.5})
      for (const int length : {2, 5}) {
        const bool best = policy == "confidence" ? threshold == 0.2 && length == 5
                          : policy == "path"     ? threshold == 0.2 && length == 2
                                                 : threshold == 0.5 && length == 5;
        stop.trials.trials.push_back(rounds(policy, length, threshold, best ? 220 : 200));
        if (best) stop.chosen[policy] = stop.trials.trials.back().settings;
      }
  stop.auc = 0.9;
  stop.f1 = 0.8;
  stop.share = {0.25, 0.75};
  stop.predicted = {0.2, 0.8};
  stop.accepted = {0.3, 0.7};
  artifacts::TrainedDisco disco = {draft, "some machine", 300, {stop, stop}};
  artifacts::TrainedStop& sampled = disco.by_temperature[1];
  sampled.label = "soft";
  sampled.along_path = !published;
  sampled.classifier.output_bias = 3;
  sampled.trials.temperature = 1;
  sampled.chosen["classifier"] = {{"draft-length", 2.0}, {"draft-threshold", 0.2}};
  return disco;
}

}  // namespace outrider::test

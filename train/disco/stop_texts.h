#pragma once

#include <map>
#include <string>
#include <vector>

#include "data/split.h"
#include "data/store/trace_store.h"
#include "runtime/cost/drafted_rounds.h"
#include "runtime/draft/stop/stop_classifier.h"

namespace outrider::train {

/// A draft model's scores for the tokens of a trace, from the second one on: the prefill gives the first.
struct StopText {
  std::vector<draft::StopClassifier::Inputs> inputs;
  std::vector<std::uint8_t> counted;   // 0: in a loop, or beyond the draft model's context
  std::vector<std::uint8_t> accepted;  // whether its choice is the target's
  std::vector<float> probable;         // how often it would be, over the noise
  std::vector<float> log_q;            // of its choice

  std::size_t size() const { return inputs.size(); }
};

/// The texts at one temperature, by prompt: those trained on, and those that all else is chosen on.
struct StopTexts {
  std::vector<StopText> training, validation;
};
using StopTextsByTemperature = std::map<double, StopTexts>;

/// Tokens of a text that count as 1 in the classifier's inputs.
inline constexpr float kPositionScale = 256;

/// What the scores of a draft model in a store say. @param draft  methods::draft_identity
/// @param rejection  whether `probable` is for verification by rejection, instead of with the same noise
/// @throws InputError where the store has no scores of this draft model, naming those that it has, and
///         where they are not complete
void read_stop_texts(const data::TraceStore& store, const std::string& draft, bool rejection,
                     const data::SplitOptions& split, StopTextsByTemperature& texts);

}  // namespace outrider::train

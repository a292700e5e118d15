#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "data/score/draft_scorer.h"
#include "data/split.h"
#include "data/store/trace_store.h"
#include "data/trace.h"
#include "runtime/cost/drafted_rounds.h"
#include "runtime/draft/stop/stop_classifier.h"

namespace outrider::train {

/// A draft model's scores for the tokens of a trace, from the second one on: the prefill gives the first.
struct StopText {
  std::vector<draft::StopClassifier::Inputs> inputs;
  std::vector<std::uint8_t> counted;  // 0: in a loop, or beyond the draft model's context
  std::vector<std::uint8_t>
      accepted;  // whether its choice is the target's; by rejection, drawn: `probable`
  std::vector<float> probable;  // how often it is accepted, over the noise
  std::vector<float>
      overlap;  // 1 less the total variation distance of draft and target: T = 1, nothing filtered
  std::vector<float> log_q;  // of its choice

  std::size_t size() const { return inputs.size(); }
};

/// The texts at one temperature, by prompt: those trained on, and those that all else is chosen on.
struct StopTexts {
  std::vector<StopText> training, validation;
};
using StopTextsByTemperature = std::map<double, StopTexts>;

/// Tokens of a text that count as 1 in the classifier's inputs.
inline constexpr float kPositionScale = 256;

/// How the scores are read.
struct StopReading {
  std::string draft = {};  // methods::draft_identity
  bool rejection =
      false;           // whether drafts are verified by rejection, instead of with the same noise
  bool loops = false;  // whether tokens in loops count
  data::SplitOptions split = {};
};

/// Above temperature 0 rejection keeps a drafted token with a probability. So that what is chosen on validation
/// texts depends little on which tokens happen to be kept, they are read so many times, each with draws of its own: the
/// mean of rounds over the draws is their expectation.
inline constexpr int kDrawnTexts = 8;

/// A trace with its scores. @param scores  of several traces, of which this one's begin at token `first`
/// @param draw  which of kDrawnTexts, from 0
StopText stop_text(const data::DraftScores& scores, std::size_t first, const data::Trace& trace,
                   const StopReading& reading, int draw);

/// What the scores of a draft model in a store say.
/// @throws InputError where the store has no scores of this draft model, naming those that it has, and
///         where they are not complete
void read_stop_texts(const data::TraceStore& store, const StopReading& reading,
                     StopTextsByTemperature& texts);

}  // namespace outrider::train

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "train/disco/choose_stops.h"

namespace outrider::train {

/// What `train disco` found at one temperature with one training.
struct DiscoFinding {
  artifacts::TrainedStop stop;
  bool published = false;              // DISCO as the paper has it
  std::size_t tokens = 0;              // trained on
  double seconds = 0;                  // of training and choosing
  double training_loss = 0, loss = 0;  // cross-entropy, the latter on validation, in nats
  StopRates validation;                // of the texts that settings were chosen on
  std::optional<StopRates> test;       // of others
  bool chosen = false;  // of those that are published, or of the others, for the artifact
};

/// The policy of `runtime decode --draft-stop` that it is for: draft::kDiscoStop or kClassifierStop.
std::string policy_of(const DiscoFinding& found);
/// Text for people: rates and F1 of every rule, and how well the classifier tells tokens apart.
/// @param unit  that rates are in: "per second"
std::string disco_text(const std::vector<DiscoFinding>& findings, const char* unit);
/// The findings as one JSON object, with the reliability curves.
std::string disco_json(const std::vector<DiscoFinding>& findings);
/// C_i against the share of tokens that are accepted, on validation; SVG.
std::string disco_plot(const std::vector<DiscoFinding>& findings);

}  // namespace outrider::train

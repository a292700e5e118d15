#pragma once

#include <string>
#include <vector>

#include "train/run/train_disco.h"

namespace outrider::train {

/// Text for people: rates and F1 of every rule, and how well the classifier tells tokens apart.
/// @param unit  that rates are in: "per second"
std::string disco_text(const std::vector<DiscoFinding>& findings, const char* unit);
/// The findings as one JSON object, with the reliability curves.
std::string disco_json(const std::vector<DiscoFinding>& findings);
/// C_i against the share of tokens that are accepted, on validation; SVG.
std::string disco_plot(const std::vector<DiscoFinding>& findings);

}  // namespace outrider::train

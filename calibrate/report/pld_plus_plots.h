#pragma once

#include <string>

#include "runtime/draft/copy/pld_plus_heads.h"
#include "runtime/draft/copy/pld_plus_layer.h"

namespace outrider::calibrate {

/// SVG: a heat map of the share of copied tokens that each head hits, and curves over numbers of heads and whole layers.
std::string plot_of(const draft::PldPlusHeads& found);

/// SVG: curves over layers, averaged positions and weights of logits.
std::string plot_of(const draft::PldPlusLayer& found);

}  // namespace outrider::calibrate

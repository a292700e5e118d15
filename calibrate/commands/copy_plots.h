#pragma once

#include <string>

#include "runtime/artifacts/copy_heads.h"
#include "runtime/artifacts/copy_layer.h"

namespace outrider::calibrate {

/// SVG: a heat map of the share of copied tokens that each head hits, and curves over numbers of heads,
/// whole layers and draft lengths.
std::string plot_of(const artifacts::CopyHeads& found);

/// SVG: curves over layers, averaged positions, draft lengths and thresholds.
std::string plot_of(const artifacts::CopyLayer& found);

}  // namespace outrider::calibrate

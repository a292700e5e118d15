#pragma once

#include <string>

#include "runtime/artifacts/copy_heads.h"
#include "runtime/artifacts/copy_layer.h"

namespace outrider::calibrate {

/// The share of copied tokens that each head hits, as an SVG heat map.
std::string plot_of(const artifacts::CopyHeads& found);

/// Curves over layers and draft lengths, as SVG charts.
std::string plot_of(const artifacts::CopyLayer& found);

}  // namespace outrider::calibrate

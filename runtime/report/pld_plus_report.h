#pragma once

#include <string>

#include "runtime/draft/copy/pld_plus_heads.h"
#include "runtime/draft/copy/pld_plus_layer.h"

namespace outrider::report {

/// Text for people: counts per task, the heads' hits in percent, the sweeps over numbers of heads and whole layers, and
/// lengths by step.
std::string pld_plus_heads_text(const draft::PldPlusHeads& found);

/// The curves over layers, averaged positions and weights of logits, and lengths by step.
std::string pld_plus_layer_text(const draft::PldPlusLayer& found);

}  // namespace outrider::report

#pragma once

#include <vector>

#include "runtime/base/token.h"
#include "runtime/model/model.h"

namespace outrider::train {

/// What an ExportDrafter reads in place of the target's final states and of masks of its own.
struct ExportShape {
  std::vector<int> layers = {};  // three of the target's, in the numbering of engine::TapRequest
  Token mask_token = -1;         // whose embedding every mask reads
};

/// What vLLM takes by default: of n layers 2, n / 2 and n - 3. The mask is the first token that the tokenizer
/// does not use, or the first that ends a text where it uses all.
ExportShape default_export_shape(const model::Model& target);

/// @throws InputError naming the flag, if vLLM could not serve such a drafter, or not with this target
void check_export_shape(const ExportShape& shape, const model::Model& target);

}  // namespace outrider::train

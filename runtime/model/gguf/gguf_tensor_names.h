#pragma once

#include <string_view>

#include "runtime/model/tensor_names.h"

namespace outrider::model {

/// The names in a GGUF file. @returns nullptr for an unsupported architecture
const TensorNames* gguf_tensor_names(std::string_view architecture, bool experts = false);

}  // namespace outrider::model

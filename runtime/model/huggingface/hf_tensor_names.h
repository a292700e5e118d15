#pragma once

#include <string_view>

#include "runtime/model/tensor_names.h"

namespace outrider::model {

/// The names in a Hugging Face folder, by model_type. @returns nullptr for an unsupported one
const TensorNames* hf_tensor_names(std::string_view model_type);

}  // namespace outrider::model

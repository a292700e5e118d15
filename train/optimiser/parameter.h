#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace outrider::train {

/// What is trained. The value is a leaf that requires a gradient, in f32 and contiguous.
struct Parameter {
  std::string name;
  at::Tensor value;
  bool decay = false;  // whether weight decay shrinks it: matrices, but no norms
};

}  // namespace outrider::train

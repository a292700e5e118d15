#pragma once

#include <functional>

namespace outrider::cost {

/// Seconds of a pass of the target over a number of rows, including the root.
using PassSeconds = std::function<double(int rows)>;

}  // namespace outrider::cost

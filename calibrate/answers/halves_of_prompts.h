#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "calibrate/answers/answer.h"

namespace outrider::calibrate {

/// Assigns prompts alternately to two halves.
class HalvesOfPrompts {
 public:
  /// The half of the answer's prompt, 0 or 1.
  std::size_t half_of(const Answer& answer);
  std::size_t prompts() const { return halves_.size(); }

 private:
  std::map<std::string, std::size_t> halves_;
};

}  // namespace outrider::calibrate

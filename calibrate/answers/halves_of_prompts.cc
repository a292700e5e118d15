#include "calibrate/answers/halves_of_prompts.h"

namespace outrider::calibrate {

std::size_t HalvesOfPrompts::half_of(const Answer& answer) {
  return halves_.try_emplace(answer.id, halves_.size() % 2).first->second;
}

}  // namespace outrider::calibrate

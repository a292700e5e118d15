#include "calibrate/answers/answer.h"

namespace outrider::calibrate {

bool Answer::loops_at(std::size_t position) const {
  const auto first = static_cast<std::size_t>(prompt);
  return !in_loop.empty() && position >= first && position < tokens.size() &&
         in_loop[position - first] != 0;
}

std::size_t Answer::after_loop(std::size_t position) const {
  while (loops_at(position)) ++position;
  return position;
}

std::size_t Answer::next_loop(std::size_t position) const {
  while (position < tokens.size() && !loops_at(position)) ++position;
  return position;
}

}  // namespace outrider::calibrate

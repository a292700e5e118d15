#include "calibrate/answers/answer.h"

#include <span>

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

sampling::TokenCounts counts_before(const Answer& answer, std::size_t position) {
  const auto prompt = static_cast<std::size_t>(answer.prompt);
  const bool counts_tokens = answer.sampler.uses_counts();
  sampling::TokenCounts counts(std::span(answer.tokens).first(counts_tokens ? prompt : 0));
  for (std::size_t t = prompt; counts_tokens && t < position; ++t) counts.add(answer.tokens[t]);
  return counts;
}

}  // namespace outrider::calibrate

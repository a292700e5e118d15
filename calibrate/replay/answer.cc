#include "calibrate/replay/answer.h"

namespace outrider::calibrate {

bool Answer::loops_at(std::size_t position) const {
  const auto first = static_cast<std::size_t>(prompt);
  return !in_loop.empty() && position >= first && position < text.size() &&
         in_loop[position - first] != 0;
}

std::size_t Answer::after_loop(std::size_t position) const {
  while (loops_at(position)) ++position;
  return position;
}

std::size_t Answer::next_loop(std::size_t position) const {
  while (position < text.size() && !loops_at(position)) ++position;
  return position;
}

Answer answer_of(const data::Trace& trace) {
  Answer answer{trace.id,
                trace.task,
                trace.prompt_tokens,
                static_cast<int>(trace.prompt_tokens.size()),
                trace.in_loop,
                trace.temperature};
  while (!answer.in_loop.empty() && answer.in_loop.back() != 0) answer.in_loop.pop_back();
  const auto first = trace.output_tokens.begin();
  answer.text.insert(answer.text.end(), first, first + std::ssize(answer.in_loop));
  return answer;
}

std::size_t HalvesOfPrompts::half_of(const Answer& answer) {
  return halves_.try_emplace(answer.id, halves_.size() % 2).first->second;
}

}  // namespace outrider::calibrate

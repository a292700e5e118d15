#include "calibrate/replay/answer.h"

namespace outrider::calibrate {

Answer answer_of(const data::Trace& trace) {
  Answer answer{trace.id, trace.task, trace.prompt_tokens,
                static_cast<int>(trace.prompt_tokens.size())};
  for (std::size_t i = 0; i < trace.output_tokens.size() && trace.in_loop[i] == 0; ++i)
    answer.text.push_back(trace.output_tokens[i]);
  return answer;
}

std::size_t HalvesOfPrompts::half_of(const Answer& answer) {
  return halves_.try_emplace(answer.id, halves_.size() % 2).first->second;
}

}  // namespace outrider::calibrate

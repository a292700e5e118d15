#include "calibrate/answers/traced_answers.h"

#include "calibrate/answers/stored_answers.h"
#include "data/generate/recorded_recipe.h"

namespace outrider::calibrate {
std::vector<Answer> read_traced_answers(const data::TraceStore& store, int limit) {
  const sampling::SamplerOptions sampler = data::recorded_sampler(store.identity());
  std::vector<Answer> answers;
  for_each_stored_answer(store, [&](const Answer& answer, const data::ShardReader&, std::size_t) {
    if (limit > 0 && std::ssize(answers) == limit) return;
    answers.push_back(answer);
    answers.back().sampler = sampler;
    answers.back().sampler.temperature = answer.temperature();
  });
  return answers;
}

std::map<double, std::vector<const Answer*>> answers_by_temperature(
    const std::vector<Answer>& answers) {
  std::map<double, std::vector<const Answer*>> sorted;
  for (const Answer& answer : answers) sorted[answer.temperature()].push_back(&answer);
  return sorted;
}

}  // namespace outrider::calibrate

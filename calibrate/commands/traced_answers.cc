#include "calibrate/commands/traced_answers.h"

#include <sstream>
#include <string>

#include "calibrate/answers/stored_answers.h"
#include "runtime/base/numbers.h"
#include "runtime/cli/generation_flags.h"

namespace outrider::calibrate {
namespace {

/// How the store's target chose, but for temperature and seed.
sampling::SamplerOptions recorded_sampler(const data::StoreIdentity& identity) {
  const auto text = [&](const char* flag) {
    const std::string* value = data::find_option(identity, flag);
    return value == nullptr ? std::string() : *value;
  };
  const auto real = [&](const char* flag, double otherwise) {
    return parse_real(text(flag)).value_or(otherwise);
  };
  sampling::SamplerOptions sampler;
  sampler.top_k = static_cast<int>(parse_integer(text("top-k")).value_or(sampler.top_k));
  sampler.top_p = real("top-p", sampler.top_p);
  sampler.min_p = real("min-p", sampler.min_p);
  sampler.repetition_penalty = real("repetition-penalty", sampler.repetition_penalty);
  sampler.presence_penalty = real("presence-penalty", sampler.presence_penalty);
  sampler.frequency_penalty = real("frequency-penalty", sampler.frequency_penalty);
  std::istringstream biases(text("logit-bias"));
  for (std::string bias; biases >> bias;) sampler.logit_bias.push_back(cli::parse_bias(bias));
  return sampler;
}

}  // namespace

std::vector<Answer> read_traced_answers(const data::TraceStore& store, int limit) {
  const sampling::SamplerOptions sampler = recorded_sampler(store.identity());
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

#include "calibrate/answers/stored_answers.h"

#include <fmt/core.h>

#include <utility>

#include "runtime/base/error.h"

namespace outrider::calibrate {

Answer answer_of(const data::Trace& trace, sampling::SamplerOptions sampler) {
  Answer answer{trace.id, trace.task, trace.prompt_tokens,
                static_cast<int>(trace.prompt_tokens.size()), trace.in_loop};
  while (!answer.in_loop.empty() && answer.in_loop.back() != 0) answer.in_loop.pop_back();
  const auto first = trace.output_tokens.begin();
  answer.tokens.insert(answer.tokens.end(), first, first + std::ssize(answer.in_loop));
  answer.sampler = std::move(sampler);
  answer.sampler.temperature = trace.temperature;
  answer.sequence_seed = trace.sequence_seed;
  return answer;
}

std::vector<Answer> read_stored_answers(const data::TraceStore& store) {
  std::vector<Answer> answers;
  for (const int shard : store.shards()) {
    const data::ShardReader reader = store.open(shard);
    for (std::size_t i = 0; i < reader.size(); ++i) answers.push_back(answer_of(reader.trace(i)));
  }
  if (answers.empty())
    throw InputError(fmt::format("{}: holds no traces", store.folder().string()));
  return answers;
}

}  // namespace outrider::calibrate

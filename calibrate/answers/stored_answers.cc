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

void for_each_answer_of(const data::TraceStore& store, int shard, const OnStored& visit) {
  const data::ShardReader reader = store.open(shard);
  // Without the hidden states, which `ShardReader::trace` would read.
  for (std::size_t i = 0; i < reader.size(); ++i)
    visit(answer_of(reader.columns().trace(i, store.identity().top_k)), reader, i);
}

void check_has_traces(const data::TraceStore& store) {
  for (const auto& [number, entry] : store.manifest().shards)
    if (entry.traces > 0) return;
  throw InputError(fmt::format("{}: holds no traces", store.folder().string()));
}

void for_each_stored_answer(const data::TraceStore& store, const OnStored& visit) {
  check_has_traces(store);
  for (const int number : store.shards()) for_each_answer_of(store, number, visit);
}

std::vector<Answer> read_stored_answers(const data::TraceStore& store) {
  std::vector<Answer> answers;
  for_each_stored_answer(store, [&](const Answer& answer, const data::ShardReader&, std::size_t) {
    answers.push_back(answer);
  });
  return answers;
}

}  // namespace outrider::calibrate

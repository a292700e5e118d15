#include "data/store/shard_columns.h"

#include <fmt/core.h>

#include <stdexcept>

namespace outrider::data {
namespace {

/// Checks that a trace is consistent; a violation is a bug of the generator.
void check(const Trace& trace, const StoreIdentity& identity) {
  const auto require = [&trace](bool holds, const char* what) {
    if (!holds) throw std::logic_error(fmt::format("trace of prompt '{}': {}", trace.id, what));
  };
  const std::size_t outputs = trace.output_tokens.size();
  const std::size_t scores = outputs * static_cast<std::size_t>(identity.top_k);
  require(!trace.prompt_tokens.empty() && outputs > 0, "no prompt or no output");
  require(trace.loss_mask.size() == trace.prompt_tokens.size() + outputs, "size of loss_mask");
  require(trace.top_ids.size() == scores, "size of top_ids");
  require(trace.top_log_probs.size() == scores, "size of top_log_probs");
  require(trace.entropies.size() == outputs, "size of entropies");
  require(trace.tail_masses.size() == outputs, "size of tail_masses");
  require(trace.in_loop.size() == outputs, "size of in_loop");
  require(trace.finish != decode::FinishReason::kInterrupted, "was interrupted");
  require(trace.states.size() == identity.layers.size(), "number of layers");
  for (std::size_t i = 0; i < trace.states.size(); ++i) {
    require(trace.states[i].layer == identity.layers[i], "order of layers");
    require(trace.states[i].values.size() ==
                trace.positions() * static_cast<std::size_t>(identity.width),
            "size of states");
  }
}

template <typename T>
void append(std::vector<T>& all, const std::vector<T>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

template <typename T>
std::vector<T> part(const std::vector<T>& all, std::int64_t begin, std::int64_t end,
                    std::int64_t width = 1) {
  return {all.begin() + begin * width, all.begin() + end * width};
}

std::string text_of(std::span<const std::uint8_t> bytes) { return {bytes.begin(), bytes.end()}; }

}  // namespace

ShardColumns columns_of(std::span<const Trace> traces, const StoreIdentity& identity) {
  ShardColumns columns;
  for (const Trace& trace : traces) {
    check(trace, identity);
    columns.ids.push(trace.id);
    columns.tasks.push(trace.task);
    columns.turns.push_back(trace.turn);
    columns.samples.push_back(trace.sample);
    columns.temperatures.push_back(trace.temperature);
    columns.sequence_seeds.push_back(trace.sequence_seed);
    columns.finishes.push_back(static_cast<std::uint8_t>(trace.finish));
    columns.prompts.push(trace.prompt_tokens);
    columns.outputs.push(trace.output_tokens);
    const auto outputs_begin =
        trace.loss_mask.begin() + static_cast<std::ptrdiff_t>(trace.prompt_tokens.size());
    columns.prompt_loss_mask.insert(columns.prompt_loss_mask.end(), trace.loss_mask.begin(),
                                    outputs_begin);
    columns.output_loss_mask.insert(columns.output_loss_mask.end(), outputs_begin,
                                    trace.loss_mask.end());
    append(columns.top_ids, trace.top_ids);
    append(columns.top_log_probs, trace.top_log_probs);
    append(columns.entropies, trace.entropies);
    append(columns.tail_masses, trace.tail_masses);
    append(columns.in_loops, trace.in_loop);
  }
  return columns;
}

Trace ShardColumns::trace(std::size_t i, int top_k) const {
  Trace trace;
  trace.id = text_of(ids[i]);
  trace.task = text_of(tasks[i]);
  trace.turn = turns[i];
  trace.sample = samples[i];
  trace.temperature = temperatures[i];
  trace.sequence_seed = sequence_seeds[i];
  trace.finish = static_cast<decode::FinishReason>(finishes[i]);
  const auto prompt = prompts[i];
  trace.prompt_tokens.assign(prompt.begin(), prompt.end());
  const auto output = outputs[i];
  trace.output_tokens.assign(output.begin(), output.end());

  trace.loss_mask = part(prompt_loss_mask, prompts.offsets[i], prompts.offsets[i + 1]);
  const std::int64_t begin = outputs.offsets[i];
  const std::int64_t end = outputs.offsets[i + 1];
  append(trace.loss_mask, part(output_loss_mask, begin, end));
  trace.top_ids = part(top_ids, begin, end, top_k);
  trace.top_log_probs = part(top_log_probs, begin, end, top_k);
  trace.entropies = part(entropies, begin, end);
  trace.tail_masses = part(tail_masses, begin, end);
  trace.in_loop = part(in_loops, begin, end);
  return trace;
}

}  // namespace outrider::data

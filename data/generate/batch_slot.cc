#include "data/generate/batch_slot.h"

#include <algorithm>

#include "data/loops.h"

namespace outrider::data {

BatchSlot::BatchSlot(std::unique_ptr<Conversation> conversation,
                     std::unique_ptr<engine::KvCache> cache, const model::ModelConfig& config)
    : conversation_(std::move(conversation)),
      sequence_(std::move(cache), conversation_->context()),
      config_(&config) {}

bool BatchSlot::next_turn(const decode::DecodeLimits& limits) {
  std::optional<Turn> turn = conversation_->next();
  if (!turn) return false;
  turn_ = std::move(*turn);
  decode::DecodeLimits of_turn = limits;
  of_turn.given = std::move(turn_.given_answer);
  const Trace& trace = turn_.trace;
  sequence_.begin(trace.prompt_tokens,
                  sampling::Sampler(turn_.sampler, config_->vocab, trace.sequence_seed), of_turn);
  cut_states(sequence_.held());
  return true;
}

void BatchSlot::cut_states(int tokens) {
  for (LayerStates& layer : states_)
    layer.values.resize(static_cast<std::size_t>(tokens) *
                        static_cast<std::size_t>(config_->width));
}

void BatchSlot::adopt(const BatchSlot& other, int tokens) {
  sequence_.adopt(other.sequence_, tokens);
  states_ = other.states_;
  cut_states(tokens);
}

void BatchSlot::add_rows(engine::Pass& pass, int count) {
  first_row_ = static_cast<int>(pass.rows.size());
  rows_ = count;
  if (count == 0) return;
  const int sequence = static_cast<int>(pass.sequences.size());
  pass.sequences.push_back(&sequence_.cache());
  const int begin = sequence_.held();
  pass.add_chain(
      sequence,
      sequence_.known().subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count)),
      false);
  for (int i = std::max(0, sequence_.prompt() - 1 - begin); i < count; ++i)
    pass.rows[static_cast<std::size_t>(first_row_ + i)].wants_logits = true;
}

std::vector<int> BatchSlot::keep_rows(const engine::Pass& pass) {
  const int begin = sequence_.held();
  sequence_.cache().commit_first(rows_);
  std::vector<int> predicted;
  for (int row = 0; row < rows_; ++row)
    if (pass.rows[static_cast<std::size_t>(first_row_ + row)].wants_logits)
      predicted.push_back(begin + row + 1);
  keep_states(pass);
  return predicted;
}

void BatchSlot::keep_states(const engine::Pass& pass) {
  const std::vector<int>& layers = pass.request.layers;
  states_.resize(layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    states_[i].layer = layers[i];
    for (int row = first_row_; row < first_row_ + rows_; ++row) {
      const auto state = pass.observed.state(layers[i], row);
      std::transform(state.begin(), state.end(), std::back_inserter(states_[i].values),
                     float_to_bfloat16);
    }
  }
}

bool BatchSlot::add(Token token, const sampling::RowScores& scores) {
  Trace& trace = turn_.trace;
  trace.top_ids.insert(trace.top_ids.end(), scores.ids.begin(), scores.ids.end());
  trace.top_log_probs.insert(trace.top_log_probs.end(), scores.log_probs.begin(),
                             scores.log_probs.end());
  trace.entropies.push_back(scores.entropy);
  trace.tail_masses.push_back(scores.outside);
  return sequence_.take(token);
}

void BatchSlot::finish() {
  Trace& trace = turn_.trace;
  const auto answer = sequence_.answer();
  trace.output_tokens.assign(answer.begin(), answer.end());
  trace.finish = sequence_.finish_reason();
  trace.loss_mask.assign(trace.prompt_tokens.size(), 0);
  trace.loss_mask.resize(trace.prompt_tokens.size() + trace.output_tokens.size(), 1);
  trace.in_loop = loop_flags(trace.output_tokens);
  trace.states = states_;
  conversation_->answered(std::move(trace));
}

}  // namespace outrider::data

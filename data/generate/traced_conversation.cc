#include "data/generate/traced_conversation.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "data/loops.h"

namespace outrider::data {

TracedConversation::TracedConversation(std::unique_ptr<Conversation> conversation,
                                       const TracedOptions& options,
                                       const model::ModelConfig& config)
    : conversation_(std::move(conversation)), options_(options), config_(config) {
  for (const int layer : options.layers) states_.push_back({layer, {}});
}

void TracedConversation::join(decode::Batch& batch) {
  batch_ = &batch;
  next_turn();
}

void TracedConversation::next_turn() {
  std::optional<Turn> turn = conversation_->next();
  has_ended_ = !turn;
  if (has_ended_) return;
  turn_ = std::move(*turn);
  const Trace& trace = turn_.trace;
  decode::DecodeLimits limits = options_.limits;
  limits.given = std::move(turn_.given_answer);
  before_ =
      batch_->add({.text = trace.prompt_tokens,
                   .sampler = sampling::Sampler(turn_.sampler, config_.vocab, trace.sequence_seed),
                   .limits = std::move(limits),
                   .context = context(),
                   .reserve = context(),
                   .scores = true,
                   .reads_given = true,
                   .after = before_},
                  *this);
}

int TracedConversation::start(int kept) {
  cut_states(options_.layers.empty() ? kept : std::min(kept, tokens_));
  return tokens_;
}

bool TracedConversation::adopt(const decode::SequenceListener& other, int tokens) {
  const auto* const from = dynamic_cast<const TracedConversation*>(&other);
  if (from == nullptr) return false;
  states_ = from->states_;
  cut_states(tokens);
  return true;
}

void TracedConversation::cut_states(int tokens) {
  for (LayerStates& layer : states_)
    layer.values.resize(static_cast<std::size_t>(tokens) * static_cast<std::size_t>(config_.width));
  tokens_ = tokens;
}

void TracedConversation::observe(const engine::Pass& pass, std::span<const int> rows) {
  for (LayerStates& layer : states_) {
    for (const int row : rows) {
      const auto state = pass.observed.state(layer.layer, row);
      std::transform(state.begin(), state.end(), std::back_inserter(layer.values),
                     float_to_bfloat16);
    }
  }
  tokens_ += static_cast<int>(rows.size());
}

bool TracedConversation::take(Token /*token*/, const draft::Origin& /*origin*/,
                              const sampling::RowScores* scores) {
  Trace& trace = turn_.trace;
  trace.top_ids.insert(trace.top_ids.end(), scores->ids.begin(), scores->ids.end());
  trace.top_log_probs.insert(trace.top_log_probs.end(), scores->log_probs.begin(),
                             scores->log_probs.end());
  trace.entropies.push_back(scores->entropy);
  trace.tail_masses.push_back(scores->outside);
  return true;
}

void TracedConversation::end(decode::DecodeResult result) {
  Trace& trace = turn_.trace;
  trace.output_tokens = std::move(result.tokens);
  trace.finish = result.finish;
  trace.loss_mask.assign(trace.prompt_tokens.size(), 0);
  trace.loss_mask.resize(trace.prompt_tokens.size() + trace.output_tokens.size(), 1);
  trace.in_loop = loop_flags(trace.output_tokens);
  trace.states = states_;
  conversation_->answered(std::move(trace));
  next_turn();
}

}  // namespace outrider::data

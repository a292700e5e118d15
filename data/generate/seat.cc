#include "data/generate/seat.h"

#include <algorithm>

#include "data/loops.h"

namespace outrider::data {

Seat::Seat(std::unique_ptr<Conversation> conversation, std::unique_ptr<engine::KvCache> cache,
           const model::ModelConfig& config)
    : conversation_(std::move(conversation)), cache_(std::move(cache)), config_(&config) {}

bool Seat::next_turn(const decode::DecodeLimits& limits) {
  std::optional<Turn> turn = conversation_->next();
  if (!turn) return false;
  turn_ = std::move(*turn);
  text_ = turn_.trace.prompt_tokens;
  if (is_given()) {
    // Every row from the prompt's last one on predicts a token of the answer; its last one is not
    // forwarded.
    std::vector<Token>& answer = turn_.given_answer;
    const std::size_t room = static_cast<std::size_t>(conversation_->context()) - text_.size();
    answer.resize(std::min({answer.size(), room, static_cast<std::size_t>(limits.max_new)}));
    text_.insert(text_.end(), answer.begin(), answer.end() - 1);
  } else {
    sampler_.emplace(turn_.sampler, config_->vocab, turn_.trace.sequence_seed);
    counts_.emplace(turn_.trace.prompt_tokens);
  }
  const auto known = std::mismatch(
      forwarded_.begin(), forwarded_.end(), text_.begin(),
      text_.begin() + static_cast<std::ptrdiff_t>(turn_.trace.prompt_tokens.size()) - 1);
  forget_from(static_cast<std::size_t>(known.first - forwarded_.begin()));
  return true;
}

void Seat::forget_from(std::size_t length) {
  if (length == forwarded_.size()) return;
  for (LayerStates& layer : states_) {
    layer.values.resize(length * static_cast<std::size_t>(config_->width));
  }
  forwarded_.resize(length);
  cache_->truncate(static_cast<int>(length));
}

int Seat::shared_with(const Seat& other, bool only_read) const {
  // The last token before the answer is always forwarded: its row predicts.
  const std::vector<Token>& theirs = only_read ? other.forwarded_ : other.text_;
  const auto mine = std::mismatch(text_.begin(), text_.begin() + answer_begin() - 1, theirs.begin(),
                                  theirs.end());
  return static_cast<int>(mine.first - text_.begin());
}

void Seat::adopt(const Seat& other, int tokens) {
  cache_->copy_prefix(*other.cache_, tokens);
  forwarded_.assign(other.forwarded_.begin(), other.forwarded_.begin() + tokens);
  states_ = other.states_;
  for (LayerStates& layer : states_) {
    layer.values.resize(static_cast<std::size_t>(tokens) *
                        static_cast<std::size_t>(config_->width));
  }
}

void Seat::add_rows(engine::Pass& pass, int count) {
  first_row_ = static_cast<int>(pass.rows.size());
  rows_ = count;
  if (count == 0) return;
  const int sequence = static_cast<int>(pass.sequences.size());
  pass.sequences.push_back(cache_.get());
  const int begin = cache_->length();
  pass.add_chain(
      sequence,
      std::span(text_).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count)),
      false);
  for (int i = std::max(0, answer_begin() - 1 - begin); i < count; ++i)
    pass.rows[static_cast<std::size_t>(first_row_ + i)].wants_logits = true;
}

std::vector<int> Seat::keep_rows(const engine::Pass& pass) {
  cache_->commit_first(rows_);
  std::vector<int> predicted;
  for (int row = 0; row < rows_; ++row) {
    const engine::Row& forwarded = pass.rows[static_cast<std::size_t>(first_row_ + row)];
    forwarded_.push_back(forwarded.token);
    if (forwarded.wants_logits) predicted.push_back(static_cast<int>(forwarded_.size()));
  }
  keep_states(pass);
  return predicted;
}

void Seat::keep_states(const engine::Pass& pass) {
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

Token Seat::choose(std::span<float> logits, int position, RowScorer& scorer, RowScores& scores) {
  const bool is_sampled = !is_given() && !sampler_->options().is_arg_max();
  const Token sampled = is_sampled ? sampler_->choose(logits, position, *counts_) : 0;
  scorer.score(logits, scores);
  if (is_sampled) return sampled;
  if (!is_given()) return scorer.favourite();
  return turn_.given_answer[static_cast<std::size_t>(position - answer_begin())];
}

bool Seat::add(Token token, const RowScores& scores, const decode::DecodeLimits& limits) {
  Trace& trace = turn_.trace;
  trace.output_tokens.push_back(token);
  trace.top_ids.insert(trace.top_ids.end(), scores.ids.begin(), scores.ids.end());
  trace.top_log_probs.insert(trace.top_log_probs.end(), scores.log_probs.begin(),
                             scores.log_probs.end());
  trace.entropies.push_back(scores.entropy);
  trace.tail_masses.push_back(scores.outside);

  const std::size_t made = trace.output_tokens.size();
  const std::size_t length = trace.prompt_tokens.size() + made;
  const auto& ends = limits.end_tokens;
  const bool given_out = is_given() && made == turn_.given_answer.size();
  if (!is_given() && std::find(ends.begin(), ends.end(), token) != ends.end()) {
    trace.finish = decode::FinishReason::kStop;
  } else if (made >= static_cast<std::size_t>(limits.max_new)) {
    trace.finish = decode::FinishReason::kLength;
  } else if (length >= static_cast<std::size_t>(conversation_->context())) {
    trace.finish = decode::FinishReason::kContext;
  } else if (given_out) {
    trace.finish = decode::FinishReason::kStop;
  } else {
    if (!is_given()) {
      text_.push_back(token);
      counts_->add(token);
    }
    return true;
  }
  return false;
}

void Seat::finish() {
  Trace& trace = turn_.trace;
  trace.loss_mask.assign(trace.prompt_tokens.size(), 0);
  trace.loss_mask.resize(trace.prompt_tokens.size() + trace.output_tokens.size(), 1);
  trace.in_loop = loop_flags(trace.output_tokens);
  trace.states = states_;
  conversation_->answered(std::move(trace));
}

}  // namespace outrider::data

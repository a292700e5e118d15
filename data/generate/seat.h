#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "data/generate/conversation.h"
#include "data/generate/row_scorer.h"
#include "runtime/decode/decode_loop.h"
#include "runtime/engine/pass.h"
#include "runtime/sampling/sampler.h"

namespace outrider::data {

/// A conversation at its place in the batch: its KV cache, and how far its turn has come.
class Seat {
 public:
  Seat(std::unique_ptr<Conversation> conversation, std::unique_ptr<engine::KvCache> cache,
       const model::ModelConfig& config);

  /// Goes on to the conversation's next turn. @return false if there is none
  bool next_turn(const decode::DecodeLimits& limits);
  /// Tokens that are known and not forwarded yet; at least 1 while the turn lasts.
  int waiting() const { return static_cast<int>(text_.size()) - cache_->length(); }

  /// Whether it still has to forward what was said before its answer.
  bool is_reading() const { return cache_->length() + 1 < answer_begin(); }
  /// Tokens that it has forwarded.
  int read() const { return cache_->length(); }
  /// Tokens at the front of what it has to read that another seat has read, or is about to.
  int shared_with(const Seat& other, bool only_read) const;
  /// Takes the keys, values and states of the first tokens from a seat that has read the same.
  void adopt(const Seat& other, int tokens);

  /// Adds the first `count` waiting tokens to a pass.
  void add_rows(engine::Pass& pass, int count);
  /// After the pass: its rows are committed and their states kept.
  /// @return the positions of the tokens that those of its rows predict whose logits were asked for
  std::vector<int> keep_rows(const engine::Pass& pass);

  /// Scores a row, and chooses the token at a position: the given answer's, or the target's choice.
  /// @param logits  overwritten, as RowScorer says
  Token choose(std::span<float> logits, int position, RowScorer& scorer, RowScores& scores);
  /// Takes the next token of the answer. @return false when it was the last
  bool add(Token token, const RowScores& scores, const decode::DecodeLimits& limits);
  /// Hands the finished turn to the conversation.
  void finish();

  /// The cache, once the conversation is over.
  std::unique_ptr<engine::KvCache> release() { return std::move(cache_); }

 private:
  /// The first position whose token is predicted rather than known.
  int answer_begin() const { return static_cast<int>(turn_.trace.prompt_tokens.size()); }
  bool is_given() const { return !turn_.given_answer.empty(); }
  void forget_from(std::size_t length);
  void keep_states(const engine::Pass& pass);

  std::unique_ptr<Conversation> conversation_;
  std::unique_ptr<engine::KvCache> cache_;
  const model::ModelConfig* config_;
  Turn turn_;
  std::optional<sampling::Sampler> sampler_;
  std::optional<sampling::TokenCounts> counts_;
  std::vector<Token> text_;       // the tokens to forward, those in the cache first
  std::vector<Token> forwarded_;  // what the cache holds
  int first_row_ = 0;             // in the pass under way
  int rows_ = 0;
  std::vector<LayerStates> states_;  // of what the cache holds
};

}  // namespace outrider::data

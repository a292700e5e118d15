#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "data/generate/conversation.h"
#include "runtime/decode/sequence.h"
#include "runtime/engine/pass.h"
#include "runtime/model/config.h"
#include "runtime/sampling/row_scorer.h"

namespace outrider::data {

/// A conversation in the batch: its sequence, and the trace of the current turn.
class BatchSlot {
 public:
  /// @param cache  empty
  BatchSlot(std::unique_ptr<Conversation> conversation, std::unique_ptr<engine::KvCache> cache,
            const model::ModelConfig& config);

  /// Continues with the conversation's next turn. @return false if there is none
  bool next_turn(const decode::DecodeLimits& limits);

  const decode::Sequence& sequence() const { return sequence_; }
  /// Known tokens that are not forwarded yet; at least 1 until the turn ends.
  int waiting() const { return static_cast<int>(sequence_.known().size()) - sequence_.held(); }
  /// Whether it still has to forward the prompt.
  bool is_reading() const { return sequence_.held() + 1 < sequence_.prompt(); }
  /// Copies the keys, values and states of the first tokens from a sequence that has the same
  /// prefix.
  void adopt(const BatchSlot& other, int tokens);

  /// Adds the first `count` of these tokens to a pass.
  void add_rows(engine::Pass& pass, int count);
  /// Commits the rows of a pass that is done, and stores their states.
  /// @return the positions of the tokens predicted by its rows with logits
  std::vector<int> keep_rows(const engine::Pass& pass);

  /// The token at a position, where the answer is given.
  std::optional<Token> given(int position) const { return sequence_.given(position); }
  /// What the choice of its next token depends on besides logits.
  sampling::SequenceSampling sampling() const { return sequence_.sampling(); }
  /// Appends the next token of the answer. @return false when it was the last
  bool add(Token token, const sampling::RowScores& scores);
  /// Returns the finished turn to the conversation.
  void finish();

  /// The cache, once the conversation has ended.
  std::unique_ptr<engine::KvCache> release() { return sequence_.release(); }

 private:
  /// Keeps the states of the first tokens only.
  void cut_states(int tokens);
  void keep_states(const engine::Pass& pass);

  std::unique_ptr<Conversation> conversation_;
  decode::Sequence sequence_;
  const model::ModelConfig* config_;
  Turn turn_;
  int first_row_ = 0;  // in the current pass
  int rows_ = 0;
  std::vector<LayerStates> states_;  // of the cached tokens
};

}  // namespace outrider::data

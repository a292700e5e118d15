#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "data/generate/conversation.h"
#include "runtime/decode/batch.h"
#include "runtime/decode/sequence_listener.h"
#include "runtime/model/config.h"

namespace outrider::data {

/// What a TracedConversation stores besides tokens.
struct TracedOptions {
  std::vector<int> layers;      // whose hidden states are stored, numbered as in engine::TapRequest
  decode::DecodeLimits limits;  // of an answer
};

/// A conversation in a batch: its turns one after the other, and the trace of the current one.
class TracedConversation : public decode::SequenceListener {
 public:
  TracedConversation(std::unique_ptr<Conversation> conversation, const TracedOptions& options,
                     const model::ModelConfig& config);

  /// The room that it needs.
  int context() const { return conversation_->context(); }
  /// Adds its first turn to a batch; each later one follows when the one before has ended.
  void join(decode::Batch& batch);
  bool has_ended() const { return has_ended_; }

  bool take(Token token, const draft::Origin& origin, const sampling::RowScores* scores) override;
  void end(decode::DecodeResult result) override;
  engine::TapRequest wants() const override { return {.layers = options_.layers}; }
  void observe(const engine::Pass& pass, std::span<const int> rows) override;
  int start(int kept) override;
  bool adopt(const decode::SequenceListener& other, int tokens) override;

 private:
  void next_turn();
  /// Keeps the states of the first tokens only.
  void cut_states(int tokens);

  std::unique_ptr<Conversation> conversation_;
  const TracedOptions& options_;
  const model::ModelConfig& config_;
  decode::Batch* batch_ = nullptr;
  std::optional<decode::SequenceId> before_;  // its last turn
  bool has_ended_ = false;
  Turn turn_;
  std::vector<LayerStates> states_;  // of the cached tokens
  int tokens_ = 0;                   // whose states these are
};

}  // namespace outrider::data

#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <vector>

#include "data/generate/conversation.h"
#include "data/generate/traced_conversation.h"
#include "runtime/decode/batch.h"
#include "runtime/decode/sequence.h"

namespace outrider::data {

struct BatchOptions {
  int batch = 32;  // conversations at a time
  /// Tokens that all KV caches together may hold; a single conversation may exceed it. 0: no limit.
  std::int64_t cache_tokens = 0;
  int top = 32;             // tokens whose probabilities are stored
  std::vector<int> layers;  // whose hidden states are stored, numbered as in engine::TapRequest
  /// Limits as for one sequence; prefill_chunk counts the rows of prompts, and of given answers, of
  /// all sequences in a pass together.
  decode::DecodeLimits limits;
};

/// Answers many conversations at once, and makes traces of the answers. Finished conversations are replaced at once.
/// Rows are those of single-sequence decoding, so every answer equals single-sequence decoding token for token.
class BatchGenerator {
 public:
  BatchGenerator(engine::Engine& target, BatchOptions options);

  /// @param next  returns the next conversation, nullptr when there are no more
  /// @return false if `limits.interrupted` stopped it; unfinished conversations are dropped
  bool run(const std::function<std::unique_ptr<Conversation>()>& next);

  const decode::BatchStats& stats() const { return stats_; }

 private:
  bool fill(decode::Batch& batch, const std::function<std::unique_ptr<Conversation>()>& next);

  engine::Engine& target_;
  int most_;  // conversations
  std::function<bool()> interrupted_;
  decode::BatchOptions batch_options_;
  TracedOptions traced_;
  std::list<TracedConversation> running_;
  std::unique_ptr<Conversation> waiting_;  // for room
  decode::BatchStats stats_;
};

}  // namespace outrider::data

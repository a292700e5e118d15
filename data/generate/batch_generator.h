#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "data/generate/batch_slot.h"
#include "data/generate/cache_pool.h"
#include "data/generate/conversation.h"
#include "runtime/decode/sequence.h"
#include "runtime/sampling/chooser.h"

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

struct BatchStats {
  std::int64_t passes = 0;
  std::int64_t rows = 0;
  std::int64_t shared_rows = 0;  // not forwarded, but copied from another conversation
  std::int64_t output_tokens = 0;
  double forward_seconds = 0;
  double choose_seconds = 0;  // choosing tokens and scoring rows
};

/// Answers many conversations at once. Each pass has one row of every sequence that is generating
/// and rows of prompts to prefill; finished conversations are replaced at once. Common prefixes are
/// forwarded once. Rows are those of single-sequence decoding and their bits do not depend on other
/// rows, so every answer equals single-sequence decoding token for token.
class BatchGenerator {
 public:
  BatchGenerator(engine::Engine& target, BatchOptions options);

  /// @param next  returns the next conversation, nullptr when there are no more
  /// @return false if `limits.interrupted` stopped it; unfinished conversations are dropped
  bool run(const std::function<std::unique_ptr<Conversation>()>& next);

  const BatchStats& stats() const { return stats_; }

 private:
  /// A row with logits; in the order of the pass.
  struct Wanted {
    std::size_t slot;
    int position;  // of the next token
  };

  void fill_slots(const std::function<std::unique_ptr<Conversation>()>& next);
  bool has_room_for(const Conversation& conversation) const;
  bool share_prefix(std::size_t reader);
  void build_pass();
  void keep_rows();
  void choose_and_score();
  void take_tokens();

  engine::Engine& target_;
  BatchOptions options_;
  CachePool caches_;
  std::unique_ptr<sampling::Chooser> chooser_;
  engine::Pass pass_;
  std::vector<BatchSlot> slots_;
  std::vector<Wanted> wanted_;
  std::vector<sampling::AskedRow> asked_;    // [wanted_]
  std::vector<sampling::RowScores> scores_;  // of these, and of more in earlier passes
  std::unique_ptr<Conversation> waiting_;    // for room
  bool none_left_ = false;
  BatchStats stats_;
};

}  // namespace outrider::data

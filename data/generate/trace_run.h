#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "data/generate/batch_generator.h"
#include "data/generate/batch_size.h"
#include "data/generate/prompt_conversation.h"
#include "data/store/shard_plan.h"
#include "runtime/base/stopwatch.h"

namespace outrider::data {

/// The settings of a batch that a recipe determines.
BatchOptions batch_options(const inference::Target& target, const Recipe& recipe);

/// Generates the traces of chosen shards, many conversations at once, and passes on each shard when
/// its last conversation ends.
class TraceRun {
 public:
  using OnShard = std::function<void(int shard, std::span<const Trace> traces)>;
  using OnConversation = std::function<void(const std::vector<Trace>& traces)>;

  /// All arguments must outlive it.
  /// @param prompts  conversation c of the plan is sample c % samples + 1 of prompt c / samples
  /// @param given    kept; what it refers to must outlive this
  TraceRun(inference::Target& target, const Recipe& recipe,
           const std::vector<text::PromptRecord>& prompts, const ShardPlan& plan,
           GivenAnswers given = {});

  /// @param on_conversation  called after each
  /// @param interrupted      asked before every pass; empty: nothing ends it
  /// @return false if it was interrupted; complete shards have been passed on
  bool run(std::span<const int> shards, const BatchSize& batch, const OnShard& on_shard,
           const OnConversation& on_conversation, const std::function<bool()>& interrupted);

  const decode::BatchStats& stats() const { return stats_; }
  /// The longest time from a shard's first conversation until the shard was passed on. A kill loses
  /// only work on unfinished shards, so it loses no more than this.
  double longest_shard_seconds() const { return longest_shard_seconds_; }
  /// Later turns of conversations that were left out because the context was full.
  std::int64_t turns_beyond() const { return turns_beyond_; }

 private:
  struct Shard {
    std::vector<std::vector<Trace>> conversations;
    int left;  // not finished
    Stopwatch begun;
  };
  std::unique_ptr<Conversation> begin(std::int64_t conversation, int shard);
  void end(std::int64_t conversation, int shard, std::vector<Trace> traces);

  inference::Target& target_;
  const Recipe& recipe_;
  const std::vector<text::PromptRecord>& prompts_;
  const ShardPlan& plan_;
  GivenAnswers given_;
  const OnShard* on_shard_ = nullptr;
  const OnConversation* on_conversation_ = nullptr;
  std::map<int, Shard> open_;
  decode::BatchStats stats_;
  double longest_shard_seconds_ = 0;
  std::int64_t turns_beyond_ = 0;
};

}  // namespace outrider::data

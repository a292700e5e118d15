#include "data/generate/trace_run.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace outrider::data {

BatchOptions batch_options(const inference::Target& target, const Recipe& recipe) {
  BatchOptions options;
  options.limits.prefill_chunk = recipe.prefill_chunk;
  options.top = recipe.top;
  options.layers = recipe.layers;
  options.limits.max_new = recipe.max_new;
  options.limits.end_tokens = target.end_tokens();
  return options;
}

TraceRun::TraceRun(inference::Target& target, const Recipe& recipe,
                   const std::vector<text::PromptRecord>& prompts, const ShardPlan& plan,
                   GivenAnswers given)
    : target_(target), recipe_(recipe), prompts_(prompts), plan_(plan), given_(std::move(given)) {}

bool TraceRun::run(std::span<const int> shards, const BatchSize& batch, const OnShard& on_shard,
                   const OnConversation& on_conversation,
                   const std::function<bool()>& interrupted) {
  on_shard_ = &on_shard;
  on_conversation_ = &on_conversation;
  open_.clear();
  auto shard = shards.begin();
  std::int64_t conversation = shards.empty() ? 0 : plan_.first(*shard);
  BatchOptions options = batch_options(target_, recipe_);
  options.limits.interrupted = interrupted;
  options.batch = batch.conversations;
  options.cache_tokens = batch.cache_tokens;
  BatchGenerator generator(target_.engine(), options);
  const bool finished = generator.run([&]() -> std::unique_ptr<Conversation> {
    while (shard != shards.end() && conversation == plan_.first(*shard + 1)) {
      if (++shard != shards.end()) conversation = plan_.first(*shard);
    }
    if (shard == shards.end()) return nullptr;
    return begin(conversation++, *shard);
  });
  stats_ = generator.stats();
  return finished;
}

std::unique_ptr<Conversation> TraceRun::begin(std::int64_t conversation, int shard) {
  const auto [entry, is_new] = open_.try_emplace(shard);
  if (is_new) {
    const auto size = plan_.first(shard + 1) - plan_.first(shard);
    entry->second.conversations.resize(static_cast<std::size_t>(size));
    entry->second.left = static_cast<int>(size);
  }
  const std::int64_t samples = recipe_.samples;
  const text::PromptRecord& prompt = prompts_[static_cast<std::size_t>(conversation / samples)];
  return std::make_unique<PromptConversation>(
      target_, recipe_, prompt, static_cast<int>(conversation % samples) + 1, given_,
      [this, conversation, shard](std::vector<Trace> traces, int beyond) {
        turns_beyond_ += beyond;
        end(conversation, shard, std::move(traces));
      });
}

void TraceRun::end(std::int64_t conversation, int shard, std::vector<Trace> traces) {
  Shard& open = open_.at(shard);
  (*on_conversation_)(traces);
  open.conversations[static_cast<std::size_t>(conversation - plan_.first(shard))] =
      std::move(traces);
  if (--open.left > 0) return;
  std::vector<Trace> all;
  for (std::vector<Trace>& turns : open.conversations)
    all.insert(all.end(), std::make_move_iterator(turns.begin()),
               std::make_move_iterator(turns.end()));
  const Stopwatch begun = open.begun;
  open_.erase(shard);
  target_.model().check_unchanged();
  (*on_shard_)(shard, all);
  longest_shard_seconds_ = std::max(longest_shard_seconds_, begun.seconds());
}

}  // namespace outrider::data

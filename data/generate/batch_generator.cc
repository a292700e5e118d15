#include "data/generate/batch_generator.h"

#include <utility>

namespace outrider::data {

BatchGenerator::BatchGenerator(engine::Engine& target, BatchOptions options)
    : target_(target),
      most_(options.batch),
      interrupted_(std::move(options.limits.interrupted)),
      batch_options_{.prompt_rows = options.limits.prefill_chunk,
                     .cache_bytes = target.cache_bytes(static_cast<int>(options.cache_tokens)),
                     .top = options.top},
      traced_{std::move(options.layers), std::move(options.limits)} {}

bool BatchGenerator::run(const std::function<std::unique_ptr<Conversation>()>& next) {
  decode::Batch batch(target_, batch_options_);
  running_.clear();
  waiting_.reset();
  for (bool none_left = false;;) {
    none_left = none_left || !fill(batch, next);
    if (batch.size() == 0 && none_left) return true;
    if (interrupted_ && interrupted_()) return false;
    batch.step();
    stats_ = batch.stats();
    running_.remove_if([](const TracedConversation& one) { return one.has_ended(); });
  }
}

/// Adds conversations while there is room. @return false when there are no more
bool BatchGenerator::fill(decode::Batch& batch,
                          const std::function<std::unique_ptr<Conversation>()>& next) {
  while (batch.size() < most_) {
    if (waiting_ == nullptr) waiting_ = next();
    if (waiting_ == nullptr) return false;
    if (!batch.has_room(waiting_->context())) return true;
    running_.emplace_back(std::move(waiting_), traced_, target_.config());
    running_.back().join(batch);
    if (running_.back().has_ended()) running_.pop_back();
  }
  return true;
}

}  // namespace outrider::data

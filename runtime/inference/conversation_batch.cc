#include "runtime/inference/conversation_batch.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "runtime/base/memory.h"
#include "runtime/base/stopwatch.h"
#include "runtime/inference/context_needed.h"
#include "runtime/inference/dialogue.h"
#include "runtime/inference/for_prompt.h"
#include "runtime/inference/growing_text.h"

namespace outrider::inference {

/// A sample of a prompt, turn by turn.
class ConversationBatch::Conversation : public decode::SequenceListener {
 public:
  /// @param number  among the conversations
  Conversation(ConversationBatch& owner, std::size_t number, const text::PromptRecord& prompt,
               int sample)
      : owner_(owner),
        target_(owner.target_),
        options_(owner.options_),
        number_(number),
        prompt_(prompt),
        sample_(sample),
        context_(context_needed(target_, prompt, options_.max_new)),
        dialogue_(target_, prompt) {
    if (const auto drafter = owner_.new_drafter_()) drafter_bytes_ = drafter->text_bytes(tokens());
  }

  /// Tokens that its cache needs room for.
  int tokens() const { return context_ + owner_.draft_nodes_; }
  /// Bytes of its drafter.
  std::int64_t drafter_bytes() const { return drafter_bytes_; }
  void join(decode::Batch& batch) {
    batch_ = &batch;
    next_turn();
  }
  void cancel() {
    if (is_running_) batch_->cancel(sequence_);
    is_cancelled_ = true;
  }
  bool has_ended() const { return !is_running_; }
  /// The texts that were not taken out, in order.
  std::deque<BatchedText>& texts() { return texts_; }

  bool take(Token token, const draft::Origin& origin, const sampling::RowScores*) override {
    text_.origins.push_back(origin);
    text_.origins.back().drafter = nullptr;  // which may not live as long
    return growing_->push(token, origin);
  }

  void end(decode::DecodeResult result) override {
    target_.model().check_unchanged();
    growing_->finish();
    text_.text.text = growing_->text();
    text_.text.copied = growing_->copied();
    text_.text.result = std::move(result);
    hand_over();
    is_running_ = false;
    if (!is_cancelled_ && !owner_.is_interrupted()) next_turn();
  }

 private:
  /// Asks for the next turn; those for which the context leaves no room are empty.
  void next_turn() {
    for (; turn_ < prompt_.turns.size() && !is_running_;) {
      text_ = {};
      GeneratedText& text = text_.text;
      text.name = {prompt_.id, prompt_.task, static_cast<int>(turn_) + 1, sample_};
      text.prompt_tokens =
          for_prompt(prompt_, [&] { return dialogue_.ask(text::asked_in(prompt_, turn_)); });
      text.context = context_;
      if (static_cast<int>(text.prompt_tokens.size()) < context_) return begin();
      text.result.finish = decode::FinishReason::kContext;
      hand_over();
    }
  }

  void begin() {
    const GeneratedText& text = text_.text;
    growing_.emplace(target_.tokenizer(), options_.stops,
                     static_cast<int>(text.prompt_tokens.size()), options_.min_span, no_one_);
    const sampling::Sampler sampler = sampler_of(target_, options_, text.name);
    decode::DecodeLimits limits = limits_of(target_, options_);
    limits.interrupted = {};  // the batch is asked
    decode::Request request = {.text = text.prompt_tokens,
                               .sampler = sampler,
                               .limits = std::move(limits),
                               .context = context_,
                               .reserve = context_};
    if (owner_.draft_nodes_ > 0) {
      request.new_drafter = [&] {
        return with_forced_text(owner_.new_drafter_(), target_, options_);
      };
      request.draft_nodes = owner_.draft_nodes_;
    }
    request.drafter_name = std::to_string(number_);  // one for all turns
    if (turn_ > 0 && is_known_) request.after = sequence_;
    is_running_ = is_known_ = true;
    sequence_ = batch_->add(std::move(request), *this);
  }

  void hand_over() {
    dialogue_.answered(text::asked_in(prompt_, turn_), text_.text.prompt_tokens,
                       text_.text.result.tokens);
    texts_.push_back(std::move(text_));
    ++turn_;
  }

  ConversationBatch& owner_;
  Target& target_;
  const GenerationOptions& options_;
  std::size_t number_;
  const text::PromptRecord& prompt_;
  int sample_;
  int context_;
  std::int64_t drafter_bytes_ = 0;
  Dialogue dialogue_;
  const OnText no_one_;
  decode::Batch* batch_ = nullptr;
  decode::SequenceId sequence_ = 0;  // of the last turn
  bool is_known_ = false;            // whether there was one
  bool is_running_ = false;
  bool is_cancelled_ = false;
  std::size_t turn_ = 0;
  BatchedText text_;
  std::optional<GrowingText> growing_;
  std::deque<BatchedText> texts_;
};

ConversationBatch::ConversationBatch(Target& target, GenerationOptions options,
                                     NewDrafter new_drafter, ConversationBatchOptions batch)
    : target_(target),
      options_(std::move(options)),
      new_drafter_(std::move(new_drafter)),
      batch_(std::move(batch)) {
  sampling::check(options_.sampler, target.model().config.vocab);
  if (const auto drafter = new_drafter_()) draft_nodes_ = drafter->traits().most_nodes;
  if (batch_.cache_bytes == 0)
    batch_.cache_bytes =
        target.engine().free_bytes_elsewhere().value_or(physical_memory_bytes()) / 2;
}

ConversationBatch::~ConversationBatch() = default;

bool ConversationBatch::run(std::span<const text::PromptRecord> prompts,
                            const OnBatchedText& on_text) {
  const Stopwatch watch;
  conversations_.clear();
  waiting_.reset();
  begun_ = 0;
  decode::Batch batch(target_.engine(), {.prompt_rows = options_.prefill_chunk,
                                         .cache_bytes = batch_.cache_bytes,
                                         .share = batch_.share});
  bool stopped = false;
  for (bool goes_on = true; goes_on;) {
    if (!stopped && is_interrupted()) {
      stopped = true;
      for (const auto& conversation : conversations_) conversation->cancel();
    }
    const bool all_begun = stopped || fill(batch, prompts);
    goes_on = batch.step() || !all_begun;
    stats_ = batch.stats();
    seconds_ = watch.seconds();
    hand_out(on_text);
  }
  return !stopped;
}

/// Adds conversations while there is room. @return whether all have begun
bool ConversationBatch::fill(decode::Batch& batch, std::span<const text::PromptRecord> prompts) {
  const auto samples = static_cast<std::size_t>(batch_.samples);
  while (batch.size() < batch_.sequences && begun_ < prompts.size() * samples) {
    if (waiting_ == nullptr)
      waiting_ = std::make_unique<Conversation>(*this, begun_, prompts[begun_ / samples],
                                                static_cast<int>(begun_ % samples) + 1);
    if (!batch.has_room(waiting_->tokens(), waiting_->drafter_bytes())) return false;
    ++begun_;
    conversations_.push_back(std::move(waiting_));
    conversations_.back()->join(batch);
  }
  return begun_ == prompts.size() * samples;
}

/// Hands out the texts whose turn it is.
void ConversationBatch::hand_out(const OnBatchedText& on_text) {
  while (!conversations_.empty()) {
    Conversation& first = *conversations_.front();
    for (; !first.texts().empty(); first.texts().pop_front()) on_text(first.texts().front());
    if (!first.has_ended()) return;
    conversations_.pop_front();
  }
}

void ConversationBatch::replay(const BatchedText& batched, const OnText& on_text) const {
  const GeneratedText& text = batched.text;
  if (text.result.tokens.empty() && text.result.finish == decode::FinishReason::kContext) return;
  GrowingText growing(target_.tokenizer(), options_.stops,
                      static_cast<int>(text.prompt_tokens.size()), options_.min_span, on_text);
  for (std::size_t i = 0; i < text.result.tokens.size(); ++i)
    growing.push(text.result.tokens[i], batched.origins[i]);
  growing.finish();
}

}  // namespace outrider::inference

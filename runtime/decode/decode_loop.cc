#include "runtime/decode/decode_loop.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace outrider::decode {

Decoder::Decoder(engine::Engine& target, int context)
    : target_(&target),
      chooser_(sampling::make_chooser(target)),
      sequence_(target.make_cache(context + draft::DrafterTraits::kUsualNodes), context),
      round_(target.config().vocab) {}

DecodeResult Decoder::decode(std::span<const Token> text, sampling::Sampler sampler,
                             draft::Drafter* drafter, const DecodeLimits& limits,
                             const OnToken& on_token) {
  sequence_.begin(text, std::move(sampler), limits);
  if (drafter != nullptr)
    sequence_.reserve(*target_, sequence_.context() + drafter->traits().most_nodes);
  round_.begin(sequence_, drafter, on_token);
  while (!sequence_.finished()) {
    if (limits.interrupted && limits.interrupted()) {
      sequence_.finish(FinishReason::kInterrupted);
      break;
    }
    add_rows(limits.prefill_chunk);
    target_->forward(pass_);
    round_.forwarded(pass_);
    choose();
    round_.end(pass_);
  }
  return round_.result();
}

/// The next rows of the prompt, or a draft.
void Decoder::add_rows(int prefill_chunk) {
  pass_.sequences.clear();
  pass_.rows.clear();
  if (const int unread = round_.unread(); unread > 0)
    round_.read(pass_, std::min(unread, prefill_chunk));
  else
    round_.draft(pass_, std::numeric_limits<int>::max());
  pass_.request = round_.request();
}

/// The target's choices, each after the tokens before it.
void Decoder::choose() {
  while (round_.asks()) {
    asked_.clear();
    asked_drafts_.clear();
    round_.ask(*chooser_, pass_, asked_, asked_drafts_);
    chooser_->answer_drafts(pass_.logits, asked_, asked_drafts_);
    round_.answer(pass_, asked_);
  }
}

}  // namespace outrider::decode

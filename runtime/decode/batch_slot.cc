#include "runtime/decode/batch_slot.h"

#include <algorithm>

namespace outrider::decode {

BatchSlot::BatchSlot(KeptSequence kept, int vocab, SequenceListener& listener)
    : kept_(std::move(kept)), round_(vocab), listener_(listener) {
  on_token_ = [this](Token token, const draft::Origin& origin) {
    return listener_.take(token, origin, round_.scores());
  };
}

namespace {

/// The drafter of a sequence, if it is one like that of another sequence; else null.
const draft::Drafter* alike(const KeptSequence& other, const KeptSequence& own) {
  const bool is_named = !own.drafter_name.empty() && own.drafter_name == other.drafter_name;
  return is_named ? other.drafter.get() : nullptr;
}

}  // namespace

void BatchSlot::begin(Request& request, const KeptSequence* like) {
  sequence().set_context(request.context);
  sequence().begin(request.text, std::move(request.sampler), request.limits);
  if (like != nullptr) {
    const int shared = sequence().shared_with(like->sequence.held_tokens());
    if (shared > sequence().held()) {
      sequence().adopt(like->sequence, shared);
      const draft::Drafter* const drafter = alike(*like, kept_);
      if (drafts() && drafter != nullptr) kept_.drafter->adopt(*drafter, shared);
    }
  }
  wants_scores_ = request.scores;
  observed_ = listener_.wants();
  const int of_listener = listener_.start(sequence().held());
  sequence().cache().truncate(of_listener);
  round_.begin(sequence(), kept_.drafter.get(), on_token_);
  // No row may be observed twice.
  if (sequence().held() < of_listener) listener_.start(sequence().held());
  if (request.reads_given && !drafts()) round_.read_given();
  sees_prompt_ = drafts() && !kept_.drafter->traits().wants.before_last_row().empty();
}

bool BatchSlot::can_adopt(const BatchSlot& other) const {
  return !sees_prompt_ || alike(other.kept_, kept_) != nullptr;
}

void BatchSlot::adopt(const BatchSlot& other, int tokens) {
  const int held = sequence().held();
  const int known = round_.adopt(alike(other.kept_, kept_), tokens);
  if (known > held && listener_.adopt(other.listener_, known))
    sequence().adopt(other.sequence(), known);
  else
    round_.adopt(nullptr, held);
}

void BatchSlot::draft(engine::Pass& pass) {
  round_.skip_time();
  round_.draft(pass, drafts() ? nodes_ : 1);
  rows_ = round_.rows();
  request_ = round_.request();
  request_.merge(observed_);
}

void BatchSlot::read(engine::Pass& pass, int tokens) {
  round_.read(pass, tokens);
  rows_ = tokens;
  request_ = round_.request();
  request_.merge(observed_);
}

void BatchSlot::forwarded(const engine::Pass& pass, double seconds) {
  round_.skip_time();
  round_.forwarded(pass);
  round_.add_seconds(seconds, 0);
  observe(pass);
}

void BatchSlot::ask(const sampling::Chooser& chooser, const engine::Pass& pass,
                    std::vector<sampling::AskedRow>& rows,
                    std::vector<engine::AskedDraft>& drafts) {
  first_asked_ = static_cast<int>(rows.size());
  num_asked_ = 0;
  if (!round_.asks()) return;
  round_.skip_time();
  round_.ask(chooser, pass, rows, drafts);
  num_asked_ = static_cast<int>(rows.size()) - first_asked_;
}

int BatchSlot::answer(const engine::Pass& pass, std::span<const sampling::AskedRow> rows,
                      double seconds) {
  if (num_asked_ == 0) return 0;
  const std::size_t before = sequence().answer().size();
  round_.skip_time();
  round_.add_seconds(0, seconds * num_asked_);
  round_.answer(pass, rows.subspan(static_cast<std::size_t>(first_asked_),
                                   static_cast<std::size_t>(num_asked_)));
  return static_cast<int>(sequence().answer().size() - before);
}

void BatchSlot::end(const engine::Pass& pass) {
  const bool is_draft = round_.kept().empty();
  round_.skip_time();
  round_.end(pass);
  if (is_draft) observe(pass);
}

/// Shows the listener the rows that the text keeps.
void BatchSlot::observe(const engine::Pass& pass) {
  if (!observed_.empty() && !round_.kept().empty()) listener_.observe(pass, round_.kept());
}

}  // namespace outrider::decode

#include "runtime/decode/batch.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "runtime/base/stopwatch.h"

namespace outrider::decode {
namespace {

/// Its memory stays.
void clear(engine::TapRequest& request) {
  request.layers.clear();
  request.heads.clear();
  request.best_keys = request.logits = false;
}

}  // namespace

Batch::Batch(engine::Engine& target, BatchOptions options)
    : target_(target),
      options_(std::move(options)),
      caches_(target),
      chooser_(sampling::make_chooser(target, options_.top)) {
  if (options_.prompt_rows < 1) throw std::logic_error("Batch: no rows to read prompts with");
}

Batch::~Batch() = default;

SequenceId Batch::add(Request request, SequenceListener& listener) {
  Sequence::check_text(request.text, request.context);
  const SequenceId id = next_id_++;
  joining_.push_back(make_slot(id, std::move(request), listener));
  return id;
}

void Batch::cancel(SequenceId sequence) {
  for (const auto* const slots : {&slots_, &joining_})
    for (const std::unique_ptr<BatchSlot>& slot : *slots)
      if (slot->id() == sequence) slot->cancel();
}

bool Batch::step() {
  drop_kept(options_.kept_bytes);
  std::move(joining_.begin(), joining_.end(), std::back_inserter(slots_));
  joining_.clear();
  for (const std::unique_ptr<BatchSlot>& slot : slots_)
    if (slot->is_cancelled()) slot->sequence().finish(FinishReason::kInterrupted);
  retire();
  if (slots_.empty()) return size() > 0;
  build_pass();
  if (!pass_.rows.empty()) {
    forward();
    choose();
    for_each_in_pass([&](BatchSlot& slot) { slot.end(pass_); });
  }
  retire();
  return true;
}

/// Calls `work` for the sequences with rows in the pass. One whose work throws fails alone.
template <typename Work>
void Batch::for_each_in_pass(const Work& work) {
  for (const std::unique_ptr<BatchSlot>& slot : slots_)
    if (slot->rows() > 0 && !slot->has_failed()) slot->attempt([&] { work(*slot); });
}

void Batch::build_pass() {
  pass_.sequences.clear();
  pass_.rows.clear();
  clear(pass_.request);
  share_rows();
  // Texts that are running are always included, and so is the last row of a prompt; others share the rows for prompts.
  int room = options_.prompt_rows;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    BatchSlot& slot = *slots_[i];
    slot.wait();
    slot.attempt([&] {
      if (slot.round().unread() == 0) return slot.draft(pass_);
      if (slot.is_reading_prompt() && !share_prefix(i)) return;
      const int unread = slot.round().unread();
      const int count = unread == 1 ? 1 : std::min(unread, room);
      if (unread > 1) room -= count;
      if (count > 0) slot.read(pass_, count);
    });
    if (slot.rows() > 0) pass_.request.merge(slot.request());
  }
}

/// Says how many rows each sequence may draft.
void Batch::share_rows() {
  shares_.clear();
  int room = options_.most_rows;
  bool reads = false;
  for (const std::unique_ptr<BatchSlot>& slot : slots_) {
    const int unread = slot->round().unread();
    reads = reads || unread > 1;
    --room;
    if (unread == 0 && slot->drafts())
      shares_.push_back(
          {slot->id(), &slot->round().stats(), std::max(slot->round().limits().nodes, 0)});
  }
  if (reads) room -= options_.prompt_rows;
  options_.share(shares_, std::max(room, 0));
  auto share = shares_.begin();
  for (const std::unique_ptr<BatchSlot>& slot : slots_)
    if (share != shares_.end() && share->sequence == slot->id()) slot->set_nodes((share++)->nodes);
}

/// Copies what a sequence that reads shares with another one and lacks.
/// @return whether it reads on: false where a sequence before it is about to read what they share
bool Batch::share_prefix(std::size_t reader) {
  // Allocating for fewer tokens is not worth waiting for.
  constexpr int kWorthWaiting = 16;
  BatchSlot& slot = *slots_[reader];
  Sequence& sequence = slot.sequence();
  int most = sequence.held();
  BatchSlot* giver = nullptr;
  for (const std::unique_ptr<BatchSlot>& other : slots_) {
    if (other.get() == &slot || !slot.can_adopt(*other)) continue;
    const int shared = sequence.shared_with(other->sequence().held_tokens());
    if (shared <= most) continue;
    most = shared;
    giver = other.get();
  }
  if (giver != nullptr) {
    const int before = sequence.held();
    slot.adopt(*giver, most);
    most = sequence.held();
    stats_.shared_rows += most - before;
  }
  return std::none_of(slots_.begin(), slots_.begin() + static_cast<std::ptrdiff_t>(reader),
                      [&](const std::unique_ptr<BatchSlot>& other) {
                        return other->is_reading_prompt() && slot.can_adopt(*other) &&
                               sequence.shared_with(other->sequence().known()) >=
                                   most + kWorthWaiting;
                      });
}

void Batch::forward() {
  const Stopwatch watch;
  target_.forward(pass_);
  const double seconds = watch.seconds();
  stats_.forward_seconds += seconds;
  ++stats_.passes;
  stats_.rows += std::ssize(pass_.rows);
  const double per_row = seconds / static_cast<double>(pass_.rows.size());
  for_each_in_pass([&](BatchSlot& slot) { slot.forwarded(pass_, per_row * slot.rows()); });
}

/// The target's choices: each round of them has the next row of every sequence, all of a given answer, or all of a draft
/// (Round::can_ask_whole).
void Batch::choose() {
  for (;;) {
    asked_.clear();
    asked_drafts_.clear();
    for_each_in_pass([&](BatchSlot& slot) { slot.ask(*chooser_, pass_, asked_, asked_drafts_); });
    if (asked_.empty()) return;
    const Stopwatch watch;
    set_scores();
    chooser_->answer_drafts(pass_.logits, asked_, asked_drafts_);
    const double seconds = watch.seconds();
    stats_.choose_seconds += seconds;
    const double per_row = seconds / static_cast<double>(asked_.size());
    for_each_in_pass(
        [&](BatchSlot& slot) { stats_.output_tokens += slot.answer(pass_, asked_, per_row); });
  }
}

/// Gives the rows whose scores are wanted room for them.
void Batch::set_scores() {
  if (scores_.size() < asked_.size()) scores_.resize(asked_.size());
  for_each_in_pass([&](BatchSlot& slot) {
    if (!slot.wants_scores()) return;
    for (int i = slot.first_asked(); i < slot.first_asked() + slot.num_asked(); ++i)
      asked_[static_cast<std::size_t>(i)].scores = &scores_[static_cast<std::size_t>(i)];
  });
}

/// Takes the sequences that have ended out of the batch, keeps what they leave, and tells their listeners.
void Batch::retire() {
  std::vector<std::unique_ptr<BatchSlot>> ended;
  for (std::unique_ptr<BatchSlot>& slot : slots_)
    if (slot->has_failed() || slot->sequence().finished()) ended.push_back(std::move(slot));
  if (ended.empty()) return;
  slots_.erase(std::remove(slots_.begin(), slots_.end(), nullptr), slots_.end());
  std::exception_ptr error;
  for (const std::unique_ptr<BatchSlot>& slot : ended) {
    try {
      retire(*slot);
    } catch (...) {
      if (!error) error = std::current_exception();
    }
  }
  if (error) std::rethrow_exception(error);
}

void Batch::retire(BatchSlot& slot) {
  if (slot.has_failed()) {
    caches_.give_back(slot.sequence().release());
    slot.listener().fail(slot.error());
    return;
  }
  DecodeResult result = slot.round().result();
  kept_.push_front(slot.leave());
  slot.listener().end(std::move(result));
}

}  // namespace outrider::decode

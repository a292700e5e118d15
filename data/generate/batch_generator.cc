#include "data/generate/batch_generator.h"

#include <algorithm>
#include <optional>

#include "runtime/base/stopwatch.h"

namespace outrider::data {
BatchGenerator::BatchGenerator(engine::Engine& target, BatchOptions options)
    : target_(target),
      options_(std::move(options)),
      caches_(target),
      chooser_(sampling::make_chooser(target, options_.top)) {
  pass_.request.layers = options_.layers;
}

bool BatchGenerator::run(const std::function<std::unique_ptr<Conversation>()>& next) {
  none_left_ = false;
  for (;;) {
    fill_slots(next);
    if (slots_.empty()) return true;
    if (options_.limits.interrupted && options_.limits.interrupted()) {
      slots_.clear();
      waiting_.reset();
      return false;
    }
    build_pass();
    const Stopwatch watch;
    target_.forward(pass_);
    stats_.forward_seconds += watch.seconds();
    ++stats_.passes;
    stats_.rows += static_cast<std::int64_t>(pass_.rows.size());
    keep_rows();
    choose_and_score();
    take_tokens();
  }
}

void BatchGenerator::fill_slots(const std::function<std::unique_ptr<Conversation>()>& next) {
  while (static_cast<int>(slots_.size()) < options_.batch) {
    if (waiting_ == nullptr && !none_left_) waiting_ = next();
    none_left_ = waiting_ == nullptr;
    if (none_left_ || !has_room_for(*waiting_)) return;
    std::unique_ptr<Conversation> conversation = std::move(waiting_);
    std::unique_ptr<engine::KvCache> cache = caches_.take(conversation->context());
    BatchSlot slot(std::move(conversation), std::move(cache), target_.config());
    if (slot.next_turn(options_.limits)) {
      slots_.push_back(std::move(slot));
    } else {
      caches_.give_back(slot.release());
    }
  }
}

bool BatchGenerator::has_room_for(const Conversation& conversation) const {
  return options_.cache_tokens == 0 || slots_.empty() ||
         caches_.tokens_out() + conversation.context() <= options_.cache_tokens;
}

bool BatchGenerator::share_prefix(std::size_t reader) {
  // Allocating for fewer tokens is not worth waiting for.
  constexpr int kWorthWaiting = 16;
  BatchSlot& slot = slots_[reader];
  int most = slot.sequence().held();
  const BatchSlot* giver = nullptr;
  for (const BatchSlot& other : slots_) {
    const int shared =
        &other == &slot ? 0 : slot.sequence().shared_with(other.sequence().held_tokens());
    if (shared <= most) continue;
    most = shared;
    giver = &other;
  }
  if (giver != nullptr) {
    stats_.shared_rows += most - slot.sequence().held();
    slot.adopt(*giver, most);
  }
  // A sequence before it forwards the shared prefix first.
  return std::none_of(slots_.begin(), slots_.begin() + static_cast<std::ptrdiff_t>(reader),
                      [&](const BatchSlot& other) {
                        return other.is_reading() &&
                               slot.sequence().shared_with(other.sequence().known()) >=
                                   most + kWorthWaiting;
                      });
}

void BatchGenerator::build_pass() {
  pass_.sequences.clear();
  pass_.rows.clear();
  // Sequences with one row are generating and always included; the others share the remaining rows.
  int room = options_.limits.prefill_chunk;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    BatchSlot& slot = slots_[i];
    if (slot.is_reading() && !share_prefix(i)) {
      slot.add_rows(pass_, 0);
      continue;
    }
    int count = slot.waiting();
    if (count > 1) {
      count = std::min(count, room);
      room -= count;
    }
    slot.add_rows(pass_, count);
  }
}

void BatchGenerator::keep_rows() {
  wanted_.clear();
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    for (const int position : slots_[i].keep_rows(pass_)) wanted_.push_back({i, position});
  }
}

void BatchGenerator::choose_and_score() {
  const Stopwatch watch;
  asked_.clear();
  if (scores_.size() < wanted_.size()) scores_.resize(wanted_.size());
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    const auto [slot, position] = wanted_[i];
    const std::optional<Token> given = slots_[slot].given(position);
    asked_.push_back({.row = static_cast<int>(i), .position = position, .scores = &scores_[i]});
    if (given)
      asked_.back().token = *given;
    else
      asked_.back().sampling.emplace(slots_[slot].sampling());
  }
  chooser_->answer(pass_.logits, asked_);
  stats_.choose_seconds += watch.seconds();
}

void BatchGenerator::take_tokens() {
  std::vector<std::size_t> finished;
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    ++stats_.output_tokens;
    const std::size_t slot = wanted_[i].slot;
    const bool goes_on = slots_[slot].add(asked_[i].token, scores_[i]);
    if (!goes_on) finished.push_back(slot);
  }
  // From the back, so that earlier indices stay valid.
  for (auto slot = finished.rbegin(); slot != finished.rend(); ++slot) {
    const auto ended = slots_.begin() + static_cast<std::ptrdiff_t>(*slot);
    ended->finish();
    if (ended->next_turn(options_.limits)) continue;
    caches_.give_back(ended->release());
    slots_.erase(ended);
  }
}

}  // namespace outrider::data

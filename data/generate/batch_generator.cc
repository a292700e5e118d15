#include "data/generate/batch_generator.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

#include "runtime/base/stopwatch.h"

namespace outrider::data {
BatchGenerator::BatchGenerator(engine::Engine& target, BatchOptions options)
    : target_(target),
      options_(std::move(options)),
      caches_(target),
      scorers_(static_cast<std::size_t>(target.threads()),
               sampling::RowScorer(options_.top, target.config().vocab, target.score_kernels())) {
  pass_.request.layers = options_.layers;
}

bool BatchGenerator::run(const std::function<std::unique_ptr<Conversation>()>& next) {
  none_left_ = false;
  for (;;) {
    fill_seats(next);
    if (seats_.empty()) return true;
    if (options_.limits.interrupted && options_.limits.interrupted()) {
      seats_.clear();
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

void BatchGenerator::fill_seats(const std::function<std::unique_ptr<Conversation>()>& next) {
  while (static_cast<int>(seats_.size()) < options_.batch) {
    if (waiting_ == nullptr && !none_left_) waiting_ = next();
    none_left_ = waiting_ == nullptr;
    if (none_left_ || !has_room_for(*waiting_)) return;
    std::unique_ptr<Conversation> conversation = std::move(waiting_);
    std::unique_ptr<engine::KvCache> cache = caches_.take(conversation->context());
    Seat seat(std::move(conversation), std::move(cache), target_.config());
    if (seat.next_turn(options_.limits)) {
      seats_.push_back(std::move(seat));
    } else {
      caches_.give_back(seat.release());
    }
  }
}

bool BatchGenerator::has_room_for(const Conversation& conversation) const {
  return options_.cache_tokens == 0 || seats_.empty() ||
         caches_.tokens_out() + conversation.context() <= options_.cache_tokens;
}

bool BatchGenerator::share_prefix(std::size_t reader) {
  // Allocating for fewer tokens is not worth waiting for.
  constexpr int kWorthWaiting = 16;
  Seat& seat = seats_[reader];
  int most = seat.sequence().held();
  const Seat* giver = nullptr;
  for (const Seat& other : seats_) {
    const int shared =
        &other == &seat ? 0 : seat.sequence().shared_with(other.sequence().held_tokens());
    if (shared <= most) continue;
    most = shared;
    giver = &other;
  }
  if (giver != nullptr) {
    stats_.shared_rows += most - seat.sequence().held();
    seat.adopt(*giver, most);
  }
  // A sequence before it forwards the shared prefix first.
  return std::none_of(
      seats_.begin(), seats_.begin() + static_cast<std::ptrdiff_t>(reader), [&](const Seat& other) {
        return other.is_reading() &&
               seat.sequence().shared_with(other.sequence().known()) >= most + kWorthWaiting;
      });
}

void BatchGenerator::build_pass() {
  pass_.sequences.clear();
  pass_.rows.clear();
  // Sequences with one row are generating and always included; the others share the remaining rows.
  int room = options_.limits.prefill_chunk;
  for (std::size_t i = 0; i < seats_.size(); ++i) {
    Seat& seat = seats_[i];
    if (seat.is_reading() && !share_prefix(i)) {
      seat.add_rows(pass_, 0);
      continue;
    }
    int count = seat.waiting();
    if (count > 1) {
      count = std::min(count, room);
      room -= count;
    }
    seat.add_rows(pass_, count);
  }
}

void BatchGenerator::keep_rows() {
  wanted_.clear();
  for (std::size_t i = 0; i < seats_.size(); ++i) {
    for (const int position : seats_[i].keep_rows(pass_)) wanted_.push_back({i, position});
  }
}

void BatchGenerator::choose_and_score() {
  const Stopwatch watch;
  std::atomic<std::size_t> next{0};
  std::exception_ptr error;
  std::mutex error_lock;
  target_.run_on_threads([&](int thread) {
    try {
      for (std::size_t i = next++; i < wanted_.size(); i = next++) {
        Wanted& wanted = wanted_[i];
        float* logits = pass_.logits.data() + i * pass_.logits_stride;
        const std::span<float> row(logits, static_cast<std::size_t>(pass_.num_logits));
        sampling::RowScorer& scorer = scorers_[static_cast<std::size_t>(thread)];
        wanted.choice = seats_[wanted.seat].choose(row, wanted.position, scorer, wanted.scores);
      }
    } catch (...) {
      const std::lock_guard lock(error_lock);
      error = std::current_exception();
    }
  });
  if (error) std::rethrow_exception(error);
  stats_.choose_seconds += watch.seconds();
}

void BatchGenerator::take_tokens() {
  std::vector<std::size_t> finished;
  for (const Wanted& wanted : wanted_) {
    ++stats_.output_tokens;
    const bool goes_on = seats_[wanted.seat].add(wanted.choice, wanted.scores);
    if (!goes_on) finished.push_back(wanted.seat);
  }
  // From the back, so that earlier indices stay valid.
  for (auto seat = finished.rbegin(); seat != finished.rend(); ++seat) {
    const auto place = seats_.begin() + static_cast<std::ptrdiff_t>(*seat);
    place->finish();
    if (place->next_turn(options_.limits)) continue;
    caches_.give_back(place->release());
    seats_.erase(place);
  }
}

}  // namespace outrider::data

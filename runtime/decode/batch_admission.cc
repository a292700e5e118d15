// What a batch keeps of finished sequences, and what new ones take over.

#include <algorithm>
#include <limits>
#include <utility>

#include "runtime/decode/batch.h"

namespace outrider::decode {

int Batch::tokens_of(const Request& request) {
  const std::int64_t answer = std::ssize(request.text) + request.limits.max_new;
  const auto tokens = std::max<std::int64_t>(answer, request.reserve);
  const int rejected = request.new_drafter ? request.draft_nodes : 0;
  return static_cast<int>(std::min<std::int64_t>(tokens, request.context)) + rejected;
}

std::int64_t Batch::bytes_of(std::int64_t tokens) const {
  return target_.cache_bytes(static_cast<int>(tokens));
}

std::int64_t Batch::bytes_in_use() const {
  std::int64_t bytes = bytes_of(caches_.tokens_out());
  for (const auto* const slots : {&slots_, &joining_})
    for (const std::unique_ptr<BatchSlot>& slot : *slots) bytes += slot->drafter_bytes();
  for (const std::unique_ptr<KeptSequence>& kept : kept_) bytes += kept->drafter_bytes;
  return bytes + bytes_beside_;
}

void Batch::set_bytes_beside(std::int64_t bytes) {
  if (std::exchange(bytes_beside_, bytes) >= bytes) return;
  make_room(0);
  trim(0);
}

std::int64_t Batch::kept_bytes() const {
  std::int64_t bytes = 0;
  for (const std::unique_ptr<KeptSequence>& kept : kept_)
    bytes += bytes_of(kept->sequence.cache().capacity()) + kept->drafter_bytes;
  return bytes;
}

std::int64_t Batch::cache_bytes(int tokens) const { return bytes_of(CachePool::padded(tokens)); }

/// Tokens whose keys and values take so many bytes.
std::int64_t Batch::tokens_within(std::int64_t bytes) const {
  return bytes / bytes_of(CachePool::kGrain) * CachePool::kGrain;
}

std::int64_t Batch::room() const {
  if (options_.cache_bytes == 0) return std::numeric_limits<std::int64_t>::max();
  return options_.cache_bytes - (bytes_in_use() - kept_bytes());
}

bool Batch::has_room(int tokens, std::int64_t drafter_bytes) const {
  return size() == 0 || cache_bytes(tokens) + drafter_bytes <= room();
}

/// Drops those used the longest ago until the rest take at most so many bytes.
void Batch::drop_kept(std::int64_t bytes) {
  while (!kept_.empty() && kept_bytes() > bytes) {
    caches_.give_back(kept_.back()->sequence.release());
    kept_.pop_back();
  }
}

/// Whether a finished sequence that was taken out can stay beside a new one that takes so many bytes.
bool Batch::fits_beside(const KeptSequence& kept, std::int64_t bytes) const {
  return kept.drafter_bytes + bytes <= room();
}

/// Makes room for a new sequence beside those that have not finished.
void Batch::make_room(std::int64_t bytes) {
  if (options_.cache_bytes == 0) return;
  drop_kept(std::max<std::int64_t>(room() - bytes, 0));
}

/// Frees caches without a sequence that would not fit beside all and so many bytes more.
void Batch::trim(std::int64_t bytes) {
  if (options_.cache_bytes == 0) return;
  const std::int64_t left = options_.cache_bytes - bytes_in_use() - bytes;
  caches_.keep_waiting(tokens_within(std::max<std::int64_t>(left, 0)));
}

/// The one whose next turn is asked for; else that with the longest prefix in common.
Batch::KeptPlace Batch::find_kept(const Request& request) {
  const auto is_meant = [&](const auto& kept) { return kept->id == request.after; };
  const KeptPlace meant = std::find_if(kept_.begin(), kept_.end(), is_meant);
  if (meant != kept_.end()) return meant;
  const std::span<const Token> text = std::span(request.text).first(request.text.size() - 1);
  KeptPlace best = kept_.end();
  std::size_t most = 0;
  for (auto kept = kept_.begin(); kept != kept_.end(); ++kept) {
    const std::size_t shared = common_prefix((*kept)->sequence.held_tokens(), text);
    if (shared <= most) continue;
    most = shared;
    best = kept;
  }
  return best;
}

/// The cache and the drafter for a new sequence.
/// @param from  what it goes on from, whose cache it takes where that has the room; may be null
KeptSequence Batch::prepare(SequenceId id, const Request& request, KeptSequence* from) {
  std::unique_ptr<draft::Drafter> drafter;
  const bool is_same = from != nullptr && !request.drafter_name.empty() &&
                       from->drafter_name == request.drafter_name;
  if (is_same && request.new_drafter) drafter = std::move(from->drafter);
  if (drafter == nullptr && request.new_drafter) drafter = request.new_drafter();
  const int tokens = tokens_of(request);
  const std::int64_t drafter_bytes = drafter ? drafter->text_bytes(tokens) : 0;
  // A larger cache than asked for is taken only within the limit.
  if (from != nullptr && from->sequence.cache().capacity() >= tokens && drafter_bytes <= room())
    return {id, std::move(from->sequence), std::move(drafter), request.drafter_name, drafter_bytes};
  make_room(cache_bytes(tokens) + drafter_bytes);
  const std::int64_t most = tokens_within(room() - drafter_bytes);
  return {id, Sequence(caches_.take(tokens, most), request.context), std::move(drafter),
          request.drafter_name, drafter_bytes};
}

std::unique_ptr<BatchSlot> Batch::make_slot(SequenceId id, Request request,
                                            SequenceListener& listener) {
  std::unique_ptr<KeptSequence>
      like;  // not among the others, so that it is not dropped for this one
  if (const KeptPlace found = find_kept(request); found != kept_.end()) {
    like = std::move(*found);
    kept_.erase(found);
  }
  const bool fits = like == nullptr || fits_beside(*like, cache_bytes(tokens_of(request)));
  if (!fits && like->sequence.cache().capacity() < tokens_of(request)) {
    caches_.give_back(like->sequence.release());
    like.reset();
  }
  // Nothing is lost if its cache is taken where it has to leave, or the text goes on from all of it, or is its next turn.
  const bool goes_on =
      like != nullptr && (!fits || like->id == request.after ||
                          common_prefix(like->sequence.held_tokens(), request.text) ==
                              like->sequence.held_tokens().size());
  const auto is_there = [&] { return like != nullptr && like->sequence.has_cache(); };
  std::unique_ptr<BatchSlot> slot;
  try {
    slot = std::make_unique<BatchSlot>(prepare(id, request, goes_on ? like.get() : nullptr),
                                       target_.config().vocab, listener);
    slot->begin(request, is_there() ? like.get() : nullptr);
  } catch (...) {
    if (slot != nullptr) caches_.give_back(slot->sequence().release());
    if (is_there()) kept_.push_front(std::move(like));
    throw;
  }
  const bool is_own = like != nullptr && like->id == request.after;
  (is_own ? stats_.turn_rows : stats_.kept_rows) += slot->sequence().held();
  if (is_there() && goes_on)
    caches_.give_back(like->sequence.release());
  else if (is_there())
    kept_.push_front(std::move(like));
  make_room(slot->drafter_bytes());
  trim(slot->drafter_bytes());
  return slot;
}

}  // namespace outrider::decode

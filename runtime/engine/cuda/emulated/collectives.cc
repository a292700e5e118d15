// What threads of a block or of a warp do together, and the copies that a thread begins.

#include <fmt/format.h>

#include "runtime/engine/cuda/emulated/running_block.h"

namespace outrider::engine::cuda::emulated {

void Block::complete_barrier() {
  barriers_[barrier_].complete = true;
  barrier_ ^= 1;
  barriers_[barrier_].arrived = 0;
  barriers_[barrier_].complete = false;
}

void Block::sync_block(const Place& place) {
  Barrier& barrier = barriers_[barrier_];
  if (barrier.arrived == 0) {
    barrier.place = place;
  } else if (!same(barrier.place, place)) {
    fail(
        fmt::format("arrives at {} while others wait at {}: a barrier is one place that all "
                    "threads of a block reach",
                    text(place), text(barrier.place)));
  }
  publish(&barrier.tag);
  if (++barrier.arrived == live_) complete_barrier();
  wait(barrier.complete, place, 0);
  see(&barrier.tag);
}

Meeting& Block::meet(unsigned mask, const ProductRegisters& given, bool orders,
                     const Place& place) {
  const Thread& me = *running_;
  Warp& warp = *warps_[me.warp()];
  const unsigned own = 1u << me.lane();
  if ((mask & own) == 0)
    fail(fmt::format("calls {} with mask {:#010x}, which leaves out its own lane {}", text(place),
                     mask, me.lane()));
  Meeting* found = nullptr;
  Meeting* unused = nullptr;
  for (std::size_t i = 0; i < warp.used; ++i) {
    Meeting& meeting = warp.meetings[i];
    // One that had the same lanes before, so that its tag orders no others.
    if (!meeting.in_use && (unused == nullptr || meeting.mask == mask)) unused = &meeting;
    if (meeting.in_use && !meeting.complete && meeting.mask == mask) found = &meeting;
  }
  if (found != nullptr && !same(found->place, place))
    fail(fmt::format("arrives at {} while others of mask {:#010x} wait at {}", text(place), mask,
                     text(found->place)));
  if (found == nullptr) {
    const bool again =
        unused != nullptr && (unused->mask == mask || warp.used == warp.meetings.size());
    found = again ? unused : &warp.meetings.at(warp.used++);
    found->place = place;
    found->mask = mask;
    found->arrived = found->left = 0;
    found->complete = false;
    found->in_use = true;
  }
  if (orders) publish(&found->tag);
  found->given[me.lane()] = given;
  found->arrived |= own;
  if (complete(*found, warp)) found->complete = true;
  wait(found->complete, place, mask);
  return *found;
}

void Block::leave(Meeting& meeting) {
  meeting.left |= 1u << lane();
  if (meeting.left == meeting.arrived) meeting.in_use = false;
}

void sync_block(const Place& place) { g_block->sync_block(place); }

void sync_warp(unsigned mask, const Place& place) {
  Meeting& meeting = g_block->meet(mask, {}, true, place);
  see(&meeting.tag);
  g_block->leave(meeting);
}

Words shuffle(unsigned mask, const Words& words, int source, const Place& place) {
  Meeting& meeting = g_block->meet(mask, {{words[0], words[1]}, {}}, false, place);
  if ((meeting.arrived >> source & 1u) == 0)
    g_block->fail(
        fmt::format("{} takes the word of lane {}, which is not there: lanes {:#010x} are",
                    text(place), source, meeting.arrived));
  const auto& given = meeting.given[static_cast<std::size_t>(source)].a;
  const Words found = {given[0], given[1]};
  g_block->leave(meeting);
  return found;
}

unsigned ballot(unsigned mask, bool vote, const Place& place) {
  Meeting& meeting = g_block->meet(mask, {{vote ? 1u : 0u}, {}}, false, place);
  unsigned votes = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if ((meeting.arrived >> lane & 1u) != 0) votes |= meeting.given[lane].a[0] << lane;
  g_block->leave(meeting);
  return votes;
}

void product(const ProductRegisters& registers, int inputs, std::array<int, 4>& d,
             const Place& place) {
  Meeting& meeting = g_block->meet(~0u, registers, false, place);
  if (meeting.arrived != ~0u)
    g_block->fail(fmt::format("{} needs all lanes of a warp, and only {:#010x} are there",
                              text(place), meeting.arrived));
  const unsigned lane = g_block->lane();
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned row = lane / 4 + 8 * (i / 2), column = 2 * (lane % 4) + i % 2;
    // A lane has four inputs of the first 16, and four of the last.
    for (unsigned t = 0; t < 4; ++t) {
      for (unsigned half = 0; half < static_cast<unsigned>(inputs) / 16; ++half) {
        const std::uint32_t a = meeting.given[row % 8 * 4 + t].a[row / 8 + 2 * half];
        const std::uint32_t b = meeting.given[column * 4 + t].b[half];
        for (unsigned bit = 0; bit < 32; bit += 8) {
          const int term = static_cast<int>(a >> bit & 255u) *
                           static_cast<int>(static_cast<std::int8_t>(b >> bit & 255u));
          // Wraps, as a GPU's does.
          d[i] = static_cast<int>(static_cast<unsigned>(d[i]) + static_cast<unsigned>(term));
        }
      }
    }
  }
  g_block->leave(meeting);
}

void begin_copy(const BegunCopy& copy) { g_block->running().copies.push_back(copy); }

void end_copy_group() {
  Thread& thread = g_block->running();
  thread.copy_groups.push_back(thread.copies.size());
}

const BegunCopy* next_due_copy(std::size_t groups) {
  Thread& thread = g_block->running();
  const std::size_t ended = thread.copy_groups.size();
  const std::size_t due = groups < ended ? thread.copy_groups[ended - 1 - groups] : 0;
  if (thread.copied < due) return &thread.copies[thread.copied++];
  if (thread.copied == thread.copies.size()) thread.forget_copies();
  return nullptr;
}

}  // namespace outrider::engine::cuda::emulated

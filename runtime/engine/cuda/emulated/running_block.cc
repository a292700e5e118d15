#include "runtime/engine/cuda/emulated/running_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>

namespace outrider::engine::cuda::emulated {
namespace {

constexpr unsigned char kUnwritten = 0xcd;

}  // namespace

constinit thread_local const ThreadIndex* g_thread = nullptr;
constinit thread_local Block* g_block = nullptr;

bool same(const Place& a, const Place& b) {
  const auto equal = [](const char* x, const char* y) { return x == y || std::strcmp(x, y) == 0; };
  return a.line == b.line && equal(a.call, b.call) && equal(a.file, b.file);
}

std::string text(const Place& place) {
  const std::string_view file = place.file;
  return fmt::format("{} ({}:{})", place.call, file.substr(file.rfind('/') + 1), place.line);
}

void Block::fail(const std::string& what) const {
  const ThreadIndex& i = running_->index;
  throw std::logic_error(fmt::format("{}, block ({}, {}, {}), thread ({}, {}, {}): {}",
                                     launch_->kernel_name, i.block.x, i.block.y, i.block.z,
                                     i.thread.x, i.thread.y, i.thread.z, what));
}

void Block::prepare(std::uint64_t number) {
  const dim3 grid = launch_->grid, size = launch_->block;
  size_ = live_ = size.x * size.y * size.z;
  while (threads_.size() < size_) threads_.push_back(std::make_unique<Thread>());
  while (warps_.size() < (size_ + kLanes - 1) / kLanes) warps_.push_back(std::make_unique<Warp>());
  for (auto& warp : warps_) warp->present = 0, warp->used = 0;
  barriers_ = {};
  barrier_ = 0;
  error_ = nullptr;
  random_ = launch_->seed + number * 77;
  if (shared_bytes_ != launch_->shared_bytes || shared_ == nullptr) {
    // Of exactly this size, so that the address sanitizer sees who goes beyond it.
    shared_bytes_ = launch_->shared_bytes;
    shared_.reset(new unsigned char[shared_bytes_]);
  }
  std::memset(shared_.get(), kUnwritten, shared_bytes_);
  const unsigned x = static_cast<unsigned>(number % grid.x);
  const unsigned y = static_cast<unsigned>(number / grid.x % grid.y);
  const unsigned z = static_cast<unsigned>(number / grid.x / grid.y);
  for (unsigned t = 0; t < size_; ++t) {
    Thread& thread = *threads_[t];
    thread.index = {
        {t % size.x, t / size.x % size.y, t / size.x / size.y}, {x, y, z}, size, grid, t};
    thread.ended = thread.has_waited = false;
    thread.until = nullptr;
    thread.paused_at = thread.idle_at = 0;
    thread.forget_copies();
    warps_[thread.warp()]->present |= 1u << thread.lane();
    thread.fiber.begin(&Block::run_thread);
  }
}

void Block::run(Launch& launch, std::uint64_t number, int worker) {
  launch_ = &launch;
  worker_ = worker;
  prepare(number);
  publish(&tag_);
  running_ = nullptr;
  Thread* first = next(false);
  running_ = first;
  g_thread = &first->index;
  Fiber::switch_to(scheduler_, first->fiber, false);
  running_ = nullptr;
  g_thread = nullptr;
  if (error_ != nullptr) {
    for (unsigned t = 0; t < size_; ++t) {
      if (threads_[t]->ended) continue;
      threads_[t]->fiber.publish(&tag_);
      threads_[t]->fiber.publish(&launch.end_tag);
    }
  }
  see(&tag_);
  if (error_ != nullptr) std::rethrow_exception(std::exchange(error_, nullptr));
}

void Block::run_thread() {
  Block& block = *g_block;
  see(&block.launch_->begin_tag);
  see(&block.tag_);  // who had the same shared memory before
  try {
    block.launch_->kernel();
    if (block.launch_->kind == LaunchKind::kEarly && !block.running_->has_waited)
      block.fail("ends without wait_for_launch_before, as only kernels of LAUNCH may");
  } catch (...) {
    block.error_ = std::current_exception();
  }
  publish(&block.tag_);
  publish(&block.launch_->end_tag);
  block.end_thread();
}

void Block::end_thread() {
  Thread& me = *running_;
  me.ended = true;
  --live_;
  // Collectives count the threads that are left.
  if (live_ > 0 && barriers_[barrier_].arrived == live_) complete_barrier();
  Warp& warp = *warps_[me.warp()];
  warp.present &= ~(1u << me.lane());
  for (std::size_t i = 0; i < warp.used; ++i) {
    Meeting& meeting = warp.meetings[i];
    if (meeting.in_use && complete(meeting, warp)) meeting.complete = true;
  }
  Thread* then = nullptr;
  if (error_ == nullptr && live_ > 0) {
    then = next(false);
    if (then == nullptr) then = next(true);
    if (then == nullptr) {
      try {
        fail("the block is stuck after this thread has ended: " + waiting());
      } catch (...) {
        error_ = std::current_exception();
      }
    }
  }
  go_on_with(then, true);
}

/// @param next  null: with what launched the block
void Block::go_on_with(Thread* next, bool ends) {
  Thread& me = *running_;
  running_ = next;
  g_thread = next != nullptr ? &next->index : nullptr;
  Fiber::switch_to(me.fiber, next != nullptr ? next->fiber : scheduler_, ends);
}

/// A thread that can run, and has not read in vain what another block is to change, or null.
Thread* Block::next(bool idle_too) {
  const std::uint64_t now = launch_->changes.load(std::memory_order_relaxed) + 1;
  unsigned from = running_ == nullptr ? 0 : running_->index.number + 1;
  if (launch_->seed != 0) {
    random_ = random_ * 6364136223846793005u + 1442695040888963407u;
    from = static_cast<unsigned>(random_ >> 33);
  }
  for (unsigned i = 0; i < size_; ++i) {
    Thread& thread = *threads_[(from + i) % size_];
    if (thread.ended || (thread.until != nullptr && !*thread.until)) continue;
    if (idle_too || thread.until != nullptr || thread.idle_at != now) return &thread;
  }
  return nullptr;
}

void Block::wait(const bool& until, const Place& place, unsigned mask) {
  Thread& me = *running_;
  if (until) return;
  me.until = &until;
  me.place = place;
  me.mask = mask;
  Thread* then = next(false);
  if (then == nullptr) then = next(true);
  if (then == nullptr) fail("the block is stuck: " + waiting());
  go_on_with(then, false);
  me.until = nullptr;
}

/// Who waits where.
std::string Block::waiting() const {
  struct Group {
    const Thread* first;
    unsigned count;
  };
  std::vector<Group> groups;
  unsigned ended = 0;
  for (unsigned t = 0; t < size_; ++t) {
    const Thread& thread = *threads_[t];
    if (thread.ended) ++ended;
    if (thread.ended || thread.until == nullptr) continue;
    const auto found = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
      return same(group.first->place, thread.place) && group.first->mask == thread.mask;
    });
    if (found == groups.end()) {
      groups.push_back({&thread, 1});
    } else {
      ++found->count;
    }
  }
  std::string result;
  for (const Group& group : groups) {
    if (!result.empty()) result += ", ";
    result += fmt::format("{} of {} threads, the first of them number {}, wait at {}", group.count,
                          size_, group.first->index.number, text(group.first->place));
    if (group.first->mask != 0) result += fmt::format(" with mask {:#010x}", group.first->mask);
  }
  if (ended > 0) result += fmt::format(", {} have ended", ended);
  return result;
}

void Block::pause() {
  Thread& me = *running_;
  if (launch_->failed.load(std::memory_order_relaxed))
    fail("given up, since another block has failed");
  const std::uint64_t now = launch_->changes.load() + 1;
  // Between two pauses it has read the memory, so a second one without a change between them is in vain.
  const bool idle = me.paused_at == now;
  me.paused_at = now;
  me.idle_at = idle ? now : 0;
  Thread* then = next(false);
  if (then != nullptr && then != &me) return go_on_with(then, false);
  if (!idle) return;
  // All threads of this block wait, or have read in vain.
  launch_->idle[static_cast<std::size_t>(worker_)] = now;
  bool stuck = true;
  for (int worker = 0; worker < launch_->workers; ++worker) {
    const std::uint64_t at = launch_->idle[static_cast<std::size_t>(worker)];
    stuck = stuck && (at == now || at == kEnded);
  }
  if (stuck && launch_->changes.load() + 1 == now)
    fail(std::string("reads memory again and again that no thread changes") +
         (launch_->kind == LaunchKind::kTogether
              ? ""
              : "; blocks that wait for each other must be launched together"));
  Thread* other = next(true);
  std::this_thread::yield();
  if (other != nullptr && other != &me) go_on_with(other, false);
}

}  // namespace outrider::engine::cuda::emulated

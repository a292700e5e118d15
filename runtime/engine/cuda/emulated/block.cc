#include "runtime/engine/cuda/emulated/block.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <exception>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "runtime/engine/cuda/emulated/fiber.h"

namespace outrider::engine::cuda::emulated {

constinit thread_local const ThreadIndex* g_thread = nullptr;

namespace {

constexpr unsigned kLanes = 32;
constexpr std::uint64_t kEnded = std::numeric_limits<std::uint64_t>::max();
constexpr unsigned char kUnwritten = 0xcd;

/// Threads that call the same collective, and what each hands in. It lasts until all have read what they came for.
struct Meeting {
  Place place{};
  unsigned mask = 0;
  unsigned arrived = 0;
  unsigned left = 0;
  bool complete = false;
  bool in_use = false;
  std::array<ProductRegisters, kLanes> given{};
  char tag = 0;
};

struct Warp {
  unsigned present = 0;  // lanes that have not ended
  // A lane waits at one and may still have to read what it came for at none, so there are always enough.
  std::array<Meeting, kLanes + 1> meetings{};
  std::size_t used = 0;  // the first of them, since the block began
};

/// A barrier of the block, and the next one, since threads may arrive there before all have left.
struct Barrier {
  Place place{};
  unsigned arrived = 0;
  bool complete = false;
  char tag = 0;
};

struct Thread {
  ThreadIndex index{};
  Fiber fiber;
  bool ended = false;
  // What it waits for; null: it can run.
  const bool* until = nullptr;
  Place place{};
  unsigned mask = 0;  // of a collective of its warp, else 0
  // One more than the number of changes of memory when it paused last, and when it paused twice without a change.
  std::uint64_t paused_at = 0;
  std::uint64_t idle_at = 0;
  // Copies that it has begun, how many of them are done, and how many there were at the end of each group.
  std::vector<BegunCopy> copies;
  std::size_t copied = 0;
  std::vector<std::size_t> copy_groups;

  void forget_copies() {
    copies.clear();
    copied = 0;
    copy_groups.clear();
  }
  unsigned warp() const { return index.number / kLanes; }
  unsigned lane() const { return index.number % kLanes; }
};

bool same(const Place& a, const Place& b) {
  return a.line == b.line && std::strcmp(a.call, b.call) == 0 && std::strcmp(a.file, b.file) == 0;
}

std::string text(const Place& place) {
  const std::string_view file = place.file;
  return fmt::format("{} ({}:{})", place.call, file.substr(file.rfind('/') + 1), place.line);
}

/// The block that an OS thread runs. Its threads' stacks are kept for the next.
class Block {
 public:
  void run(Launch& launch, std::uint64_t number, int worker);

  unsigned char* shared_memory() { return shared_.get(); }
  void sync_block(const Place& place);
  /// Returns when all have handed in. `leave` has to follow.
  /// @param orders  memory too: what was written before is seen after
  Meeting& meet(unsigned mask, const ProductRegisters& given, bool orders, const Place& place);
  void leave(Meeting& meeting);
  void pause();
  Launch& launch() { return *launch_; }
  Thread& running() { return *running_; }
  unsigned lane() const { return running_->lane(); }
  [[noreturn]] void fail(const std::string& what) const;

 private:
  void prepare(std::uint64_t number);
  static void run_thread();
  void end_thread();
  void wait(const bool& until, const Place& place, unsigned mask);
  void go_on_with(Thread* next, bool ends);
  void complete_barrier();
  Thread* next(bool idle_too);
  bool complete(const Meeting& meeting, const Warp& warp) const {
    return (meeting.mask & warp.present & ~meeting.arrived) == 0;
  }
  std::string waiting() const;

  Launch* launch_ = nullptr;
  int worker_ = 0;
  std::vector<std::unique_ptr<Thread>> threads_;
  std::vector<std::unique_ptr<Warp>> warps_;
  unsigned size_ = 0;  // threads of this launch's blocks
  unsigned live_ = 0;  // that have not ended
  std::array<Barrier, 2> barriers_{};
  std::size_t barrier_ = 0;
  std::unique_ptr<unsigned char[]> shared_;
  std::size_t shared_bytes_ = 0;
  std::uint64_t random_ = 0;
  Fiber scheduler_;
  Thread* running_ = nullptr;
  std::exception_ptr error_;
  char tag_ = 0;
};

thread_local std::unique_ptr<Block> g_block;

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
    thread.ended = false;
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
    fail(fmt::format(
        "arrives at {} while others wait at {}: a barrier is one place that all threads of "
        "a block reach",
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
         (launch_->together ? "" : "; blocks that wait for each other must be launched together"));
  Thread* other = next(true);
  std::this_thread::yield();
  if (other != nullptr && other != &me) go_on_with(other, false);
}

}  // namespace

Launch::Launch(const char* name, std::function<void()> run, dim3 grid_size, dim3 block_size,
               std::size_t bytes)
    : kernel_name(name),
      kernel(std::move(run)),
      grid(grid_size),
      block(block_size),
      shared_bytes(bytes) {}

void Launch::set_workers(int count) {
  workers = count;
  idle = std::make_unique<std::atomic<std::uint64_t>[]>(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) idle[static_cast<std::size_t>(i)] = 0;
}

void run_blocks(Launch& launch, int worker) noexcept {
  if (g_block == nullptr) g_block = std::make_unique<Block>();
  const std::uint64_t blocks = launch.blocks();
  // Steps of this length visit every block once.
  std::uint64_t step = 1 + launch.seed % blocks;
  while (std::gcd(step, blocks) != 1) ++step;
  try {
    for (std::uint64_t i = static_cast<std::uint64_t>(worker); i < blocks;
         i += static_cast<std::uint64_t>(launch.workers)) {
      if (launch.failed.load()) break;
      launch.idle[static_cast<std::size_t>(worker)] = 0;
      g_block->run(launch, (launch.seed + i * step) % blocks, worker);
    }
  } catch (...) {
    if (!launch.failed.exchange(true)) launch.error = std::current_exception();
  }
  launch.idle[static_cast<std::size_t>(worker)] = kEnded;
}

unsigned char* shared_memory() { return g_block->shared_memory(); }

void sync_block(const Place& place) { g_block->sync_block(place); }

void sync_warp(unsigned mask, const Place& place) {
  Meeting& meeting = g_block->meet(mask, {}, true, place);
  see(&meeting.tag);
  g_block->leave(meeting);
}

std::uint32_t shuffle(unsigned mask, std::uint32_t word, int source, const Place& place) {
  Meeting& meeting = g_block->meet(mask, {{word}, {}}, false, place);
  if ((meeting.arrived >> source & 1u) == 0)
    g_block->fail(
        fmt::format("{} takes the word of lane {}, which is not there: lanes {:#010x} are",
                    text(place), source, meeting.arrived));
  const std::uint32_t found = meeting.given[static_cast<std::size_t>(source)].a[0];
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

void pause() { g_block->pause(); }

void note_change() { g_block->launch().changes.fetch_add(1); }

void fence() {
  Launch& launch = g_block->launch();
  publish(&launch.fence_tag);
  see(&launch.fence_tag);
}

}  // namespace outrider::engine::cuda::emulated

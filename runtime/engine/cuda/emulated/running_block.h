#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "runtime/engine/cuda/emulated/block.h"
#include "runtime/engine/cuda/emulated/fiber.h"

namespace outrider::engine::cuda::emulated {

inline constexpr unsigned kLanes = 32;

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
  bool has_waited = false;  // for the launch before
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

/// Whether two calls are the same line of a kernel.
bool same(const Place& a, const Place& b);
/// "__syncthreads (file.cuh:12)"
std::string text(const Place& place);

/// The block that an OS thread runs. Its threads' stacks are kept for the next.
class Block {
 public:
  /// What a worker of a launch is at that has run all its blocks, in place of a number of changes.
  static constexpr std::uint64_t kEnded = std::numeric_limits<std::uint64_t>::max();

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

/// The block that this OS thread runs; its last one outside kernels, null before the first.
extern constinit thread_local Block* g_block;

}  // namespace outrider::engine::cuda::emulated

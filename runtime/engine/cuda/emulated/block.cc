#include "runtime/engine/cuda/emulated/block.h"

#include <numeric>
#include <utility>

#include "runtime/engine/cuda/emulated/running_block.h"

namespace outrider::engine::cuda::emulated {

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
  thread_local Block block;
  g_block = &block;
  const std::uint64_t blocks = launch.blocks();
  // Steps of this length visit every block once.
  std::uint64_t step = 1 + launch.seed % blocks;
  while (std::gcd(step, blocks) != 1) ++step;
  try {
    for (std::uint64_t i = static_cast<std::uint64_t>(worker); i < blocks;
         i += static_cast<std::uint64_t>(launch.workers)) {
      if (launch.failed.load()) break;
      launch.idle[static_cast<std::size_t>(worker)] = 0;
      block.run(launch, (launch.seed + i * step) % blocks, worker);
    }
  } catch (...) {
    if (!launch.failed.exchange(true)) launch.error = std::current_exception();
  }
  launch.idle[static_cast<std::size_t>(worker)] = Block::kEnded;
}

unsigned char* shared_memory() { return g_block->shared_memory(); }

void wait_for_launch_before() { g_block->running().has_waited = true; }

void pause() { g_block->pause(); }

void note_change() { g_block->launch().changes.fetch_add(1); }

void fence() {
  Launch& launch = g_block->launch();
  publish(&launch.fence_tag);
  see(&launch.fence_tag);
}

}  // namespace outrider::engine::cuda::emulated

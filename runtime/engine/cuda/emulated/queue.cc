#include "runtime/engine/cuda/emulated/queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "runtime/engine/cuda/emulated/block.h"
#include "runtime/engine/cuda/emulated/fiber.h"

namespace outrider::engine::cuda::emulated {
namespace {

// What all devices share, https://docs.nvidia.com/cuda/cuda-c-programming-guide, "Technical Specifications".
constexpr unsigned kMostThreads = 1024;   // of a block
constexpr unsigned kMostDepth = 64;       // of a block, in z
constexpr unsigned kMostResident = 2048;  // threads of a multiprocessor, of cards for servers
constexpr unsigned kMostRows = 65535;     // of a grid, in y and z

std::uint64_t count(dim3 size) { return std::uint64_t{1} * size.x * size.y * size.z; }

std::string text(dim3 size) { return fmt::format("({}, {}, {})", size.x, size.y, size.z); }

}  // namespace

std::vector<std::function<void()>> Queue::end_capture() {
  return std::move(*std::exchange(recorded_, std::nullopt));
}

void Queue::add(std::function<void()> work) {
  if (recorded_) {
    recorded_->push_back(std::move(work));
  } else {
    work();
  }
}

void Queue::add_launch(const char* kernel_name, LaunchKind kind, dim3 grid, dim3 block,
                       std::size_t shared_bytes, std::function<void()> kernel) {
  check(kernel_name, kind, grid, block, shared_bytes);
  add([=, this, run_kernel = std::move(kernel)] {
    run(kernel_name, kind, grid, block, shared_bytes, run_kernel);
  });
}

void Queue::check(const char* kernel_name, LaunchKind kind, dim3 grid, dim3 block,
                  std::size_t shared_bytes) const {
  const auto refuse = [&](const std::string& what) {
    throw std::logic_error(fmt::format("launching {}: {}", kernel_name, what));
  };
  if (count(block) == 0 || count(block) > kMostThreads || block.z > kMostDepth)
    refuse(fmt::format("expected a block of 1 to {} threads, at most {} in z, found {}",
                       kMostThreads, kMostDepth, text(block)));
  if (count(grid) == 0 || grid.x > 0x7fffffffu || grid.y > kMostRows || grid.z > kMostRows)
    refuse(fmt::format("expected a grid of at least one block, and at most {} in y and z, found {}",
                       kMostRows, text(grid)));
  if (shared_bytes > options_.most_shared_bytes)
    refuse(fmt::format("expected at most {} bytes of shared memory, found {}",
                       options_.most_shared_bytes, shared_bytes));
  const std::uint64_t resident = static_cast<std::uint64_t>(options_.multiprocessors) *
                                 (kMostResident / static_cast<unsigned>(count(block)));
  if (kind == LaunchKind::kTogether && count(grid) > resident)
    refuse(fmt::format("expected at most {} blocks of {} threads at once, found {}", resident,
                       count(block), count(grid)));
}

void Queue::run(const char* kernel_name, LaunchKind kind, dim3 grid, dim3 block,
                std::size_t shared_bytes, const std::function<void()>& kernel) {
  if (g_thread != nullptr)
    throw std::logic_error(fmt::format("{} is launched by a kernel", kernel_name));
  Launch launch(kernel_name, kernel, grid, block, shared_bytes);
  launch.kind = kind;
  launch.seed = options_.seed;
  const std::uint64_t blocks = launch.blocks();
  launch.set_workers(static_cast<int>(
      kind == LaunchKind::kTogether
          ? blocks
          : std::min<std::uint64_t>(blocks, static_cast<unsigned>(options_.os_threads))));
  publish(&launch.begin_tag);
  if (launch.workers == 1) {
    run_blocks(launch, 0);
  } else {
    if (team_ == nullptr || team_->size() < launch.workers) {
      team_.reset();
      team_ = std::make_unique<ThreadTeam>(launch.workers);
    }
    team_->run([&](int thread) {
      if (thread < launch.workers) run_blocks(launch, thread);
    });
  }
  see(&launch.end_tag);
  if (launch.error != nullptr) std::rethrow_exception(launch.error);
}

Queue& queue_of(Stream stream) {
  thread_local Queue none{Options{}};
  return stream.handle != nullptr ? *static_cast<Queue*>(stream.handle) : none;
}

}  // namespace outrider::engine::cuda::emulated

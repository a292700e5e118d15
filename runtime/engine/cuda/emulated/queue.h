#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "runtime/engine/cuda/device.h"
#include "runtime/engine/cuda/emulated/types.h"
#include "runtime/engine/thread_team.h"

namespace outrider::engine::cuda::emulated {

/// How an emulated device behaves. No setting changes the result of a kernel that is right.
struct Options {
  /// Among which the blocks of a launch are shared.
  int os_threads = 1;
  /// 0: blocks and threads run in order; any other number: in an order that it decides, another one at every switch.
  std::uint64_t seed = 0;
  /// As Device::multiprocessors; LAUNCH_TOGETHER takes as many blocks on each as their threads leave room for.
  int multiprocessors = 4;
  std::size_t most_shared_bytes = 99 << 10;  // what all cards since compute capability 8.0 have
  std::int64_t memory_bytes = std::int64_t{64} << 30;
};

/// The emulation of a stream. What is asked of it is done at once, or recorded.
class Queue {
 public:
  explicit Queue(const Options& options) : options_(options) {}

  const Options& options() const { return options_; }
  bool capturing() const { return recorded_.has_value(); }
  void begin_capture() { recorded_.emplace(); }
  std::vector<std::function<void()>> end_capture();

  /// Does it, or records it.
  void add(std::function<void()> work);
  /// Likewise, all blocks of a grid.
  /// @throws std::logic_error for a launch that a device refuses, and for the mistakes of the kernel
  void add_launch(const char* kernel_name, LaunchKind kind, dim3 grid, dim3 block,
                  std::size_t shared_bytes, std::function<void()> kernel);

 private:
  void check(const char* kernel_name, LaunchKind kind, dim3 grid, dim3 block,
             std::size_t shared_bytes) const;
  void run(const char* kernel_name, LaunchKind kind, dim3 grid, dim3 block,
           std::size_t shared_bytes, const std::function<void()>& kernel);

  Options options_;
  std::optional<std::vector<std::function<void()>>> recorded_;
  std::unique_ptr<ThreadTeam> team_;  // made when it is needed
};

/// The queue of a stream; without a handle one of the calling OS thread with default options.
Queue& queue_of(Stream stream);

/// Calls a kernel for every thread of a grid. The arguments are copied now.
template <typename... Parameters, typename... Arguments>
void launch(const char* name, LaunchKind kind, void (*kernel)(Parameters...), dim3 grid, dim3 block,
            std::size_t shared_bytes, Stream stream, Arguments&&... arguments) {
  queue_of(stream).add_launch(
      name, kind, grid, block, shared_bytes,
      [kernel, copies = std::tuple<Parameters...>(std::forward<Arguments>(arguments)...)] {
        std::apply(kernel, copies);
      });
}

}  // namespace outrider::engine::cuda::emulated

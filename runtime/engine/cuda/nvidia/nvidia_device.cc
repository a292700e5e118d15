#include "runtime/engine/cuda/nvidia/nvidia_device.h"

#include <cuda_runtime_api.h>
#include <fmt/core.h>

#include "runtime/base/error.h"
#include "runtime/engine/cuda/nvidia/cuda_check.h"

namespace outrider::engine::cuda::nvidia {
namespace {

/// Shared memory that kernels have in variables of their own, of a block's.
constexpr int kReserved = 1 << 10;

class NvidiaGraph final : public Graph {
 public:
  explicit NvidiaGraph(cudaGraphExec_t graph) : graph_(graph) {}
  ~NvidiaGraph() override { cudaGraphExecDestroy(graph_); }
  NvidiaGraph(const NvidiaGraph&) = delete;
  NvidiaGraph& operator=(const NvidiaGraph&) = delete;

  cudaGraphExec_t handle() const { return graph_; }

 private:
  cudaGraphExec_t graph_;
};

class NvidiaDevice final : public Device {
 public:
  explicit NvidiaDevice(int number) : number_(number) {
    use();
    check(cudaGetDeviceProperties(&properties_, number), "cudaGetDeviceProperties");
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
  }
  ~NvidiaDevice() override { cudaStreamDestroy(stream_); }
  NvidiaDevice(const NvidiaDevice&) = delete;
  NvidiaDevice& operator=(const NvidiaDevice&) = delete;

  std::string name() const override { return properties_.name; }
  std::string capability() const override {
    return fmt::format("{}.{}", properties_.major, properties_.minor);
  }
  int multiprocessors() const override { return properties_.multiProcessorCount; }

  int shared_bytes_of_block() const override {
    return static_cast<int>(properties_.sharedMemPerBlockOptin) - kReserved;
  }

  Memory memory() const override {
    std::size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    return {static_cast<std::int64_t>(free), static_cast<std::int64_t>(total)};
  }

  void* allocate(std::size_t bytes) override {
    use();
    void* memory = nullptr;
    const cudaError_t status = cudaMalloc(&memory, bytes);
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError();  // it is told here
      throw InputError(fmt::format(
          "{}: {} bytes are needed, and {} of {} are free; expected a smaller model, a shorter "
          "context (--ctx), or --device cpu",
          properties_.name, bytes, this->memory().free_bytes, this->memory().total_bytes));
    }
    check(status, "cudaMalloc");
    return memory;
  }
  void free(void* memory) noexcept override { cudaFree(memory); }
  void* allocate_host(std::size_t bytes) override {
    use();
    void* memory = nullptr;
    check(cudaMallocHost(&memory, bytes), "cudaMallocHost");
    return memory;
  }
  void free_host(void* memory) noexcept override { cudaFreeHost(memory); }

  void copy_to(void* device, const void* host, std::size_t bytes) override {
    copy(device, host, bytes, cudaMemcpyHostToDevice);
  }
  void copy_from(void* host, const void* device, std::size_t bytes) override {
    copy(host, device, bytes, cudaMemcpyDeviceToHost);
  }
  void copy_within(void* to, const void* from, std::size_t bytes) override {
    copy(to, from, bytes, cudaMemcpyDeviceToDevice);
  }
  void fill(void* device, std::uint8_t byte, std::size_t bytes) override {
    use();
    check(cudaMemsetAsync(device, byte, bytes, stream_), "cudaMemsetAsync");
  }

  void synchronise() override {
    use();
    check(cudaStreamSynchronize(stream_), "a kernel");
  }

  Stream stream() const override { return {stream_}; }

  void begin_capture() override {
    use();
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal),
          "cudaStreamBeginCapture");
  }
  std::unique_ptr<Graph> end_capture() override {
    cudaGraph_t graph = nullptr;
    check(cudaStreamEndCapture(stream_, &graph), "cudaStreamEndCapture");
    cudaGraphExec_t executable = nullptr;
    const cudaError_t status = cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphDestroy(graph);
    check(status, "cudaGraphInstantiate");
    return std::make_unique<NvidiaGraph>(executable);
  }
  void replay(const Graph& graph) override {
    use();
    check(cudaGraphLaunch(dynamic_cast<const NvidiaGraph&>(graph).handle(), stream_),
          "cudaGraphLaunch");
  }

 private:
  /// Calls of this thread are for this card from here on.
  void use() const { check(cudaSetDevice(number_), "cudaSetDevice"); }
  void copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    use();
    check(cudaMemcpyAsync(to, from, bytes, kind, stream_), "cudaMemcpyAsync");
  }

  int number_;
  cudaDeviceProp properties_{};
  cudaStream_t stream_ = nullptr;
};

}  // namespace

int count_devices() {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess) return count;
  cudaGetLastError();
  return 0;
}

std::string why_no_device() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count > 0) return "";
  cudaGetLastError();
  if (status == cudaSuccess)
    return "this process sees no CUDA card; CUDA_VISIBLE_DEVICES may hide it";
  return fmt::format(
      "no CUDA card can be used: {}; a card needs NVIDIA's driver, which `nvidia-smi` shows",
      cudaGetErrorString(status));
}

std::unique_ptr<Device> make_nvidia_device(int number) {
  return std::make_unique<NvidiaDevice>(number);
}

}  // namespace outrider::engine::cuda::nvidia

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/engine/cuda/gpu_kernels.h"

namespace outrider::device_check {

/// One call of GpuKernels, which can be made again.
struct KernelCall {
  std::string name;              // what it does, and the sizes that decide its time
  std::size_t weight_bytes = 0;  // of a product
  bool reads_memory =
      false;  // what it reads first is seldom in the device's cache: weights, keys and values
  std::function<void()> again;
};

/// Kernels that write down the calls made of them, for each to be timed alone.
class RecordedKernels final : public engine::cuda::GpuKernels {
 public:
  explicit RecordedKernels(std::unique_ptr<engine::cuda::GpuKernels> kernels)
      : kernels_(std::move(kernels)) {}

  void begin() { recording_ = true; }
  std::vector<KernelCall> end() {
    recording_ = false;
    return std::exchange(calls_, {});
  }

  void product(engine::cpu::Packing packing, const engine::cuda::ProductArgs& args,
               bool spread) override;
  void gated_product(engine::cpu::Packing packing, const engine::cuda::GatedArgs& args,
                     bool spread) override;
  void normalise(const engine::cuda::NormArgs& args) override;
  void activate(const engine::cuda::ActivationArgs& args) override;
  void prepare_heads(const engine::cuda::HeadsArgs& args) override;
  void attend(const engine::cuda::AttentionArgs& args) override;
  void weigh_keys(const engine::cuda::WeighArgs& args) override;
  void copy_queries(const engine::cuda::QueryArgs& args) override;
  void move_slots(const engine::cuda::MoveArgs& args) override;
  void find_largest(const engine::cuda::ReadArgs& args) override;
  void choose_by_noise(const engine::cuda::ReadArgs& args) override;
  void choose_filtered(const engine::cuda::ReadArgs& args) override;
  void follow_drafts(const engine::cuda::FollowArgs& args) override;
  void move_paths(const engine::cuda::MovePathArgs& args) override;
  void choose_ahead(const engine::cuda::AheadArgs& args) override;
  void rank(const engine::cuda::ReadArgs& args) override;
  void rank_filtered(const engine::cuda::ReadArgs& args) override;
  void score_rows(const engine::cuda::ReadArgs& args) override;

 private:
  /// Makes the call, and writes it down.
  void call(KernelCall call);

  std::unique_ptr<engine::cuda::GpuKernels> kernels_;
  bool recording_ = false;
  std::vector<KernelCall> calls_;
};

/// "Q4_1" for kU4Min.
const char* packing_name(engine::cpu::Packing packing);

}  // namespace outrider::device_check

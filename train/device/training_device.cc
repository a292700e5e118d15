#include "train/device/training_device.h"

#include <ATen/detail/CUDAHooksInterface.h>
#include <dlfcn.h>
#include <fmt/core.h>

#include "runtime/base/error.h"
#include "train/device/load_cuda.h"

namespace outrider::train {
namespace {

/// A card's name by its driver, which LibTorch has loaded.
std::string card_name(int card) {
  constexpr int kLongest = 256;
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (driver == nullptr) return "unknown GPU";
  const auto get = reinterpret_cast<int (*)(int*, int)>(dlsym(driver, "cuDeviceGet"));
  const auto name = reinterpret_cast<int (*)(char*, int, int)>(dlsym(driver, "cuDeviceGetName"));
  int device = 0;
  char text[kLongest] = {};
  const bool known = get != nullptr && name != nullptr && get(&device, card) == 0 &&
                     name(text, kLongest, device) == 0;
  dlclose(driver);
  return known ? text : "unknown GPU";
}

TrainingDevice card(int number) {
  return {at::Device(at::kCUDA, static_cast<at::DeviceIndex>(number)), card_name(number)};
}

}  // namespace

TrainingDevice training_device(const engine::DeviceChoice& wanted) {
  using Kind = engine::DeviceChoice::Kind;
  if (wanted.kind == Kind::kCpu) return {};
  if (wanted.kind == Kind::kCudaEmulated)
    throw InputError(
        "--device cuda-emulated: LibTorch has no such device; train with --device cpu");
  const std::string missing = load_cuda();
  if (wanted.kind == Kind::kAuto) return missing.empty() ? card(0) : TrainingDevice{};
  if (!missing.empty()) throw InputError(fmt::format("--device {}: {}", wanted.text(), missing));
  if (const int cards = at::detail::getCUDAHooks().getNumGPUs(); wanted.card >= cards)
    throw InputError(
        fmt::format("--device {}: expected a number from 0 to {}, as there are {} GPUs",
                    wanted.text(), cards - 1, cards));
  return card(wanted.card);
}

}  // namespace outrider::train

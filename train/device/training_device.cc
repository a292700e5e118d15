#include "train/device/training_device.h"

#include <ATen/detail/CUDAHooksInterface.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include "runtime/base/error.h"
#include "train/device/load_cuda.h"

namespace outrider::train {
namespace {

/// What the driver, which LibTorch has loaded, calls a card.
TrainingDevice card(int number) {
  constexpr int kLongest = 256, kIdBytes = 16;
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  TrainingDevice found{at::Device(at::kCUDA, static_cast<at::DeviceIndex>(number)), "unknown GPU",
                       fmt::format("unknown {}", number)};
  if (driver == nullptr) return found;
  const auto get = reinterpret_cast<int (*)(int*, int)>(dlsym(driver, "cuDeviceGet"));
  const auto name = reinterpret_cast<int (*)(char*, int, int)>(dlsym(driver, "cuDeviceGetName"));
  const auto id =
      reinterpret_cast<int (*)(unsigned char*, int)>(dlsym(driver, "cuDeviceGetUuid_v2"));
  int device = 0;
  char text[kLongest] = {};
  unsigned char bytes[kIdBytes] = {};
  if (get != nullptr && get(&device, number) == 0) {
    if (name != nullptr && name(text, kLongest, device) == 0) found.gpu = text;
    if (id != nullptr && id(bytes, device) == 0)
      found.card = fmt::format("GPU-{:02x}", fmt::join(bytes, ""));
  }
  dlclose(driver);
  return found;
}

}  // namespace

TrainingDevice training_device(const engine::DeviceChoice& wanted, int place) {
  using Kind = engine::DeviceChoice::Kind;
  if (wanted.kind == Kind::kCpu) return {};
  if (wanted.kind == Kind::kCudaEmulated)
    throw InputError(
        "--device cuda-emulated: LibTorch has no such device; train with --device cpu");
  const std::string missing = load_cuda();
  if (wanted.kind == Kind::kAuto && !missing.empty()) return {};
  if (!missing.empty()) throw InputError(fmt::format("--device {}: {}", wanted.text(), missing));
  const int cards = at::detail::getCUDAHooks().getNumGPUs();
  if (wanted.card >= cards)
    throw InputError(
        fmt::format("--device {}: expected a number from 0 to {}, as there are {} GPUs",
                    wanted.text(), cards - 1, cards));
  return card((wanted.card + place) % cards);
}

}  // namespace outrider::train

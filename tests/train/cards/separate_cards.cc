// In place of train/device: cards are the separate device, one a process, so that the program `train` with these is the one
// that users have but for where it computes. SEPARATE_CARD names the process's card.
#include <dlfcn.h>
#include <fmt/core.h>

#include <cstdlib>

#include "tests/train/separate_device.h"
#include "train/device/load_cuda.h"
#include "train/device/training_device.h"

namespace outrider::train {
namespace {

/// Asks NCCL's stand-in, once it is there, whether the device's stream has done all.
bool stream_is_done() {
  using Question = bool (*)();
  static const Question ask = [] {
    void* const library = dlopen(std::getenv("OUTRIDER_NCCL"), RTLD_NOW | RTLD_NOLOAD);
    return library == nullptr ? nullptr
                              : reinterpret_cast<Question>(dlsym(library, "stand_in_is_done"));
  }();
  return ask == nullptr || ask();
}

}  // namespace

std::string load_cuda(const std::string&) { return {}; }

TrainingDevice training_device(const engine::DeviceChoice& wanted, int place) {
  if (wanted.kind != engine::DeviceChoice::Kind::kCuda) return {};
  test::separate_stream_is_done = &stream_is_done;
  const char* const named = std::getenv("SEPARATE_CARD");
  return {test::separate_device(), "separate card",
          named != nullptr ? named : fmt::format("GPU-{}", wanted.card + place)};
}

}  // namespace outrider::train

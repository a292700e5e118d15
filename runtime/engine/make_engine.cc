#include <fmt/core.h>

#include "runtime/base/error.h"
#include "runtime/engine/cpu/cpu_engine.h"
#include "runtime/engine/cuda/cuda_engine.h"
#include "runtime/engine/cuda/emulated/emulated_engine.h"
#include "runtime/engine/engine.h"
#include "runtime/engine/model_too_large.h"
#include "runtime/model/finite_weights.h"

namespace outrider::engine {
namespace {

std::unique_ptr<Engine> on_processor(const model::Model& model, const EngineOptions& options) {
  return std::make_unique<cpu::CpuEngine>(model, options);
}

/// @throws InputError for settings that are a processor's
void check_device_takes(const EngineOptions& options) {
  if (options.isa != Isa::kAuto)
    throw InputError(fmt::format(
        "--isa: expected auto with --device {}, since it names a processor's instructions",
        options.device.text()));
}

std::unique_ptr<Engine> on_card(const model::Model& model, const EngineOptions& options) {
  check_device_takes(options);
  const std::string why_not = cuda::why_not();
  if (!why_not.empty())
    throw InputError(fmt::format("--device {}: {}", options.device.text(), why_not));
  const int cards = cuda::device_count();
  if (options.device.card >= cards)
    throw InputError(
        fmt::format("--device {}: expected a card from 0 to {}", options.device.text(), cards - 1));
  return cuda::make_cuda_engine(model, options, options.device.card);
}

/// A number of threads, or an instruction set, asks for the processor.
std::unique_ptr<Engine> where_it_fits(const model::Model& model, const EngineOptions& options) {
  if (cuda::device_count() <= options.device.card || options.threads != 0 ||
      options.isa != Isa::kAuto || !cuda::lacking_on_gpu(model).empty())
    return on_processor(model, options);
  try {
    return cuda::make_cuda_engine(model, options, options.device.card);
  } catch (const ModelTooLarge&) {
    return on_processor(model, options);
  }
}

}  // namespace

std::unique_ptr<Engine> make_engine(const model::Model& model, const EngineOptions& options) {
  model::check_finite(model, options.on_read);
  switch (options.device.kind) {
    case DeviceChoice::Kind::kAuto:
      return where_it_fits(model, options);
    case DeviceChoice::Kind::kCpu:
      return on_processor(model, options);
    case DeviceChoice::Kind::kCuda:
      return on_card(model, options);
    case DeviceChoice::Kind::kCudaEmulated:
      check_device_takes(options);
      return cuda::make_emulated_engine(model, options);
  }
  return nullptr;
}

}  // namespace outrider::engine

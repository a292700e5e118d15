#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace outrider::engine {

/// Where a user wants a model computed, as --device says; what it then is computed on is Engine::place.
struct DeviceChoice {
  enum class Kind : std::uint8_t {
    kAuto,  // a GPU where there is one and the model fits, else the processor
    kCpu,
    kCuda,
    kCudaEmulated,  // the kernels of a GPU on the processor, for tests
  };

  Kind kind = Kind::kAuto;
  int card = 0;  // of kCuda and kAuto: its number, from 0 in CUDA's order

  /// As --device takes it: "auto", "cpu", "cuda:1", "cuda-emulated".
  std::string text() const;

  friend bool operator==(const DeviceChoice&, const DeviceChoice&) = default;
};

/// What --device takes, for messages and helps; "cuda-emulated" is left out.
inline constexpr const char* kDeviceChoices = "auto, cpu, cuda or cuda:N";

/// @param text  "auto", "cpu", "cuda" (the first card), "cuda:1", "cuda-emulated"; nothing for others
std::optional<DeviceChoice> device_named(std::string_view text);

}  // namespace outrider::engine

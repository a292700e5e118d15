#include "runtime/engine/device_choice.h"

#include <fmt/core.h>

#include "runtime/base/numbers.h"

namespace outrider::engine {
namespace {

constexpr std::string_view kAuto = "auto", kCpu = "cpu", kCuda = "cuda",
                           kCards = "cuda:", kEmulated = "cuda-emulated";
constexpr int kMostCards = 1024;  // a larger number is taken for a mistake

}  // namespace

std::string DeviceChoice::text() const {
  switch (kind) {
    case Kind::kAuto:
      return std::string(kAuto);
    case Kind::kCpu:
      return std::string(kCpu);
    case Kind::kCuda:
      return fmt::format("{}{}", kCards, card);
    case Kind::kCudaEmulated:
      return std::string(kEmulated);
  }
  return {};
}

std::optional<DeviceChoice> device_named(std::string_view text) {
  using Kind = DeviceChoice::Kind;
  if (text == kAuto) return DeviceChoice{Kind::kAuto};
  if (text == kCpu) return DeviceChoice{Kind::kCpu};
  if (text == kCuda) return DeviceChoice{Kind::kCuda};
  if (text == kEmulated) return DeviceChoice{Kind::kCudaEmulated};
  if (!text.starts_with(kCards)) return std::nullopt;
  const auto card = parse_integer(text.substr(kCards.size()));
  if (!card || *card < 0 || *card >= kMostCards) return std::nullopt;
  return DeviceChoice{Kind::kCuda, static_cast<int>(*card)};
}

}  // namespace outrider::engine

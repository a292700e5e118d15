#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace outrider::engine {

/// The steps that a pass's time is divided into, as measured by its first thread.
enum class Step : std::uint8_t {
  kEmbed,
  kQkv,  // norm, the three products, RoPE, storing keys and values
  kAttention,
  kAttentionOut,
  kFeedForward,  // norm, gate, up, SiLU
  kDown,
  kLogits,  // final norm and head
  kWait,    // for the other threads
};

struct StepTimes {
  static constexpr std::size_t kSteps = 8;
  static constexpr std::array<const char*, kSteps> kNames = {
      "embedding", "q, k, v", "attention", "attention out",
      "gate, up",  "down",    "logits",    "waiting"};

  std::array<double, kSteps> seconds = {};
};

/// Adds the time since the last call to a step; does nothing when no times are requested.
class StepClock {
 public:
  explicit StepClock(StepTimes* times) : times_(times) {
    if (times_ != nullptr) last_ = Clock::now();
  }
  void lap(Step step) {
    if (times_ == nullptr) return;
    const Clock::time_point now = Clock::now();
    times_->seconds[static_cast<std::size_t>(step)] +=
        std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }

 private:
  using Clock = std::chrono::steady_clock;
  StepTimes* times_;
  Clock::time_point last_;
};

}  // namespace outrider::engine

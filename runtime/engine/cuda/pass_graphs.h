#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>

#include "runtime/engine/cuda/device.h"
#include "runtime/engine/tap_request.h"

namespace outrider::engine::cuda {

/// What decides which launches a pass makes, or those that read its rows, and with which arguments.
struct PassForm {
  int rows = 0;
  int logit_rows = 0;
  int splits = 0;
  const float* logits = nullptr;  // where they are
  TapRequest request = {};
  std::array<int, 16> more = {};  // of rows that are read, or drafted ahead: what else differs

  friend bool operator==(const PassForm&, const PassForm&) = default;
};

/// The launches of passes, recorded: a pass of a form that was launched before is replayed. Those that were not used for
/// the longest leave first.
class PassGraphs {
 public:
  explicit PassGraphs(Device& device) : device_(device) {}

  /// Does `launch`, by replaying it if there is a graph of this form. A form is recorded when it comes for the second
  /// time: recording takes longer than a pass.
  void run(const PassForm& form, const std::function<void()>& launch);
  /// The memory of passes has moved: nothing that was recorded may be replayed.
  void clear() { known_.clear(); }

  /// Prompts are read in larger passes, which last longer than their launches.
  static constexpr int kMostRows = 64;

 private:
  static constexpr std::size_t kMost = 64;
  struct Known {
    PassForm form;
    std::unique_ptr<Graph> graph;  // null: seen once
  };

  Device& device_;
  std::list<Known> known_;  // the last used first
};

}  // namespace outrider::engine::cuda

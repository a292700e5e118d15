#include "runtime/engine/cuda/pass_graphs.h"

#include <algorithm>

namespace outrider::engine::cuda {

void PassGraphs::run(const PassForm& form, const std::function<void()>& launch) {
  if (form.rows > kMostRows) return launch();
  const auto known = std::find_if(known_.begin(), known_.end(),
                                  [&](const Known& one) { return one.form == form; });
  if (known == known_.end()) {
    launch();
    known_.push_front({form, nullptr});
    if (known_.size() > kMost) {
      device_.synchronise();
      known_.pop_back();
    }
    return;
  }
  known_.splice(known_.begin(), known_, known);
  if (known->graph == nullptr) {
    device_.begin_capture();
    launch();
    known->graph = device_.end_capture();
  }
  device_.replay(*known->graph);
}

}  // namespace outrider::engine::cuda

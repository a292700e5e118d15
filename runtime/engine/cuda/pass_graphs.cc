#include "runtime/engine/cuda/pass_graphs.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace outrider::engine::cuda {
namespace {

/// A capture that ends however it is left: after an error the device goes on with its work in place of recording it.
class Capture {
 public:
  explicit Capture(Device& device) : device_(&device) { device.begin_capture(); }
  ~Capture() {
    if (device_ == nullptr) return;
    try {
      device_->end_capture();
    } catch (const std::exception&) {
      // The error that is on its way is the cause of this one.
    }
  }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  std::unique_ptr<Graph> end() { return std::exchange(device_, nullptr)->end_capture(); }

 private:
  Device* device_;
};

}  // namespace

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
    Capture capture(device_);
    launch();
    known->graph = capture.end();
  }
  device_.replay(*known->graph);
}

}  // namespace outrider::engine::cuda

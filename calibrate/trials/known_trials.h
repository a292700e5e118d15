#pragma once

#include <functional>
#include <map>
#include <utility>

#include "runtime/base/interrupted.h"

namespace outrider::calibrate {

/// What settings give on records of a drafter; each is replayed once.
/// @tparam Trial  a cost::Trial with a `setting`
template <typename Trial>
class KnownTrials {
 public:
  using Setting = decltype(Trial::setting);

  /// @param replay  adds the rounds with a trial's setting to it
  explicit KnownTrials(std::function<void(Trial&)> replay) : replay_(std::move(replay)) {}

  /// @param interrupted  asked before each replay
  void end_when(std::function<bool()> interrupted) { interrupted_ = std::move(interrupted); }

  /// @throws Interrupted
  const Trial& of(const Setting& setting) {
    if (const auto found = known_.find(setting); found != known_.end()) return found->second;
    if (interrupted_ && interrupted_()) throw Interrupted();
    Trial trial;
    trial.setting = setting;
    replay_(trial);
    return known_.emplace(setting, std::move(trial)).first->second;
  }
  const std::map<Setting, Trial>& known() const { return known_; }

 private:
  std::function<void(Trial&)> replay_;
  std::function<bool()> interrupted_;
  std::map<Setting, Trial> known_;
};

}  // namespace outrider::calibrate

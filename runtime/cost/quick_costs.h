#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/base/notices.h"
#include "runtime/cost/cost_cache.h"
#include "runtime/cost/time_steps.h"
#include "runtime/engine/engine.h"

namespace outrider::cost {

/// Costs on this machine where no artifact has them: measured at first use, in a second or two,
/// and kept in a folder, from which later starts read them in milliseconds.
class QuickCosts {
 public:
  /// The draft model with an engine with this number of threads.
  using DraftWith = std::function<DraftModel(int threads)>;

  /// @param folder   of the files, see CostCache
  /// @param notices  informed before the first measurement, and warned if its results cannot be kept
  explicit QuickCosts(std::filesystem::path folder, Notices notices = {});

  /// @param target_hash  of the model
  CostModel passes(engine::Engine& target, const std::string& target_hash);

  /// The costs of a draft model, with 1 thread or the target's: whichever takes the least share of
  /// a pass.
  /// @param draft_with  called to measure only
  TimedSteps steps(engine::Engine& target, const std::string& target_hash,
                   const std::string& draft_hash, const DraftWith& draft_with);

  /// What the costs of this target hold for. @param draft_hash  empty: without a draft model
  static CostKey key_of(const engine::Engine& target, const std::string& target_hash,
                        const std::string& draft_hash = "");

 private:
  void announce();
  void warn_unless(bool is_kept);

  CostCache cache_;
  Notices notices_;
  bool announced_ = false, warned_ = false;
  // What this process measured, by what it holds for, in case that nothing can be kept.
  std::map<std::string, std::vector<TimedPass>> passes_;
  std::map<std::string, std::vector<TimedSteps>> steps_;
};

}  // namespace outrider::cost

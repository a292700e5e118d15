#include "runtime/cost/quick_costs.h"

#include <fmt/core.h>

#include <algorithm>

#include "runtime/base/build_name.h"
#include "runtime/cost/pass_timer.h"
#include "runtime/cost/quick_passes.h"
#include "runtime/cost/timed_workers.h"

namespace outrider::cost {
namespace {

constexpr int kStepContext = 128;

/// Fewer for slow targets: about a third of a second.
int rounds_for(engine::Engine& target, int context) {
  PassTimer timer(target);
  timer.seconds(context, 1);  // fills the cache
  return static_cast<int>(std::clamp(0.3 / timer.seconds(context, 1), 3.0, 40.0));
}

}  // namespace

QuickCosts::QuickCosts(std::filesystem::path folder, Notices notices)
    : cache_(std::move(folder)), notices_(std::move(notices)) {}

CostKey QuickCosts::key_of(const engine::Engine& target, const std::string& target_hash,
                           const std::string& draft_hash) {
  return {.machine = target.place().name,
          .numerics = target.numerics_name(),
          .isa = target.place().unit,
          .threads = target.workers(),
          .target = target_hash,
          .draft = draft_hash,
          .program = code_version()};
}

CostModel QuickCosts::passes(engine::Engine& target, const std::string& target_hash) {
  const CostKey key = key_of(target, target_hash);
  std::vector<TimedPass>& known = passes_[text_of(key)];
  if (known.empty()) known = cache_.read_passes(key).value_or(std::vector<TimedPass>());
  if (known.empty()) {
    announce();
    known = time_quickly(target);
    warn_unless(cache_.write_passes(key, known));
  }
  return CostModel(known);
}

TimedSteps QuickCosts::steps(engine::Engine& target, const std::string& target_hash,
                             const std::string& draft_hash, const DraftWith& draft_with) {
  const CostKey key = key_of(target, target_hash, draft_hash);
  std::vector<TimedSteps>& known = steps_[text_of(key)];
  if (known.empty()) known = cache_.read_steps(key).value_or(std::vector<TimedSteps>());
  if (known.empty()) {
    announce();
    const int longest = std::max(1, target.config().context - PassTimer::kMostRows);
    const int context = std::min(kStepContext, longest);
    const int rounds = rounds_for(target, context);
    for (const int threads : timed_workers(target)) {
      const StepTimes times = time_steps(target, draft_with(threads), context, rounds);
      known.push_back({threads, times.draft.low, times.target.low});
    }
    warn_unless(cache_.write_steps(key, known));
  }
  return *std::min_element(
      known.begin(), known.end(),
      [](const TimedSteps& one, const TimedSteps& other) { return one.share() < other.share(); });
}

void QuickCosts::announce() {
  if (announced_ || !notices_.inform) return;
  announced_ = true;
  notices_.inform(
      fmt::format("timing passes on this machine, once, for a second or two; kept in {}",
                  cache_.folder().empty() ? "no folder: neither XDG_CACHE_HOME nor HOME is set"
                                          : cache_.folder().string()));
}

void QuickCosts::warn_unless(bool is_kept) {
  if (is_kept || warned_ || !notices_.warn || cache_.folder().empty()) return;
  warned_ = true;
  notices_.warn(
      fmt::format("{}: cannot be written, so that passes are timed again at the next start",
                  cache_.folder().string()));
}

}  // namespace outrider::cost

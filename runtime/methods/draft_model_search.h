#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "runtime/artifacts/artifact_set.h"
#include "runtime/artifacts/cost.h"
#include "runtime/cost/calibrated_pair.h"
#include "runtime/cost/cost_cache.h"
#include "runtime/cost/quick_costs.h"
#include "runtime/methods/method_target.h"

namespace outrider::methods {

/// What was found of a draft model in artifacts.
template <typename Settings>
struct StoredSettings {
  Settings settings;
  bool this_machine = false;  // it was calibrated on
  std::string file;
};

/// Searches artifacts for what calibration found about one drafter with a model, and times it where the machine
/// is another one.
class DraftModelSearch {
 public:
  /// @param draft      the artifact file that it was read from
  /// @param artifacts  the setting; empty: besides checkpoints/, the draft model's own file
  DraftModelSearch(const MethodTarget& target, const std::string& draft,
                   const std::string& artifacts);
  /// A search for another drafter than a draft model.
  /// @param group       that it is in
  /// @param draft_with  loads it, to time it
  DraftModelSearch(const MethodTarget& target, const std::string& draft,
                   const std::string& artifacts, std::string group,
                   cost::QuickCosts::DraftWith draft_with);

  const artifacts::ArtifactSet& known() const { return *known_; }

  /// Settings of this machine, else those of the other machine that draft the fewest tokens: drafts that are
  /// too short gain less, those that are too long can be slower than plain decoding. Nothing where all are of
  /// other draft models: one trained before, say.
  /// @param kind     of the groups, "/draft_settings"
  /// @param read     (reader, group) -> settings with the hash of a draft model in `draft`
  /// @param drafted  (settings) -> tokens drafted per round
  template <typename Read, typename Drafted>
  auto find(const std::string& kind, const Read& read, const Drafted& drafted) {
    using Settings = decltype(read(std::declval<const hdf5::Reader&>(), kind));
    std::optional<StoredSettings<Settings>> shortest;
    const std::string here = artifacts::named_group(kind, target_.engine().place().name);
    const auto take = [&](const std::string& group) {
      const artifacts::ArtifactFile* file = known_->with(group);
      if (file == nullptr) return;
      StoredSettings<Settings> found = {read(file->reader(), group), group == here,
                                        file->reader().name()};
      if (found.settings.draft != hash()) return;
      if (!shortest || drafted(found.settings) < drafted(shortest->settings))
        shortest = std::move(found);
    };
    take(here);
    if (shortest) return shortest;
    for (const std::string& group : known_->groups())
      if (group != here && group.starts_with(kind + "/")) take(group);
    return shortest;
  }

  /// Whether times that were stored with these settings are those of the target's engine. One processor can have
  /// several instruction sets: a virtual machine may hide some.
  template <typename Settings>
  bool has_times_of_engine(const StoredSettings<Settings>& found) const {
    const cost::CalibratedPair& pair = found.settings;
    return found.this_machine && pair.threads == target_.engine().workers() &&
           pair.numerics == target_.engine().numerics_name() &&
           (pair.isa.empty() || pair.isa == target_.engine().place().unit);
  }
  /// Times the target's and the draft model's passes here, by MethodTarget::quick_costs, which there must be.
  /// @param pair  gets what was timed
  cost::TimedSteps time_steps(cost::CalibratedPair& pair);

 private:
  /// The hash of the drafter.
  const std::string& hash();

  const MethodTarget& target_;
  std::filesystem::path draft_;
  std::string group_;
  cost::QuickCosts::DraftWith draft_with_;
  std::shared_ptr<const artifacts::ArtifactSet> known_;
  std::string hash_;  // empty: not read yet
};

}  // namespace outrider::methods

#include "runtime/methods/calibrated_draft.h"

#include <filesystem>

#include "runtime/artifacts/artifact_set.h"
#include "runtime/artifacts/draft.h"
#include "runtime/artifacts/draft_settings.h"
#include "runtime/cost/quick_costs.h"
#include "runtime/engine/machine.h"
#include "runtime/methods/loaded_draft.h"
#include "runtime/methods/machine_costs.h"

namespace outrider::methods {
namespace {

class DraftSettingsSearch {
 public:
  DraftSettingsSearch(const MethodTarget& target, const std::string& draft,
                      const std::string& artifacts)
      : target_(target), draft_(draft) {
    const std::string& named = artifacts.empty() ? draft : artifacts;
    known_ = target.load_once<artifacts::ArtifactSet>(
        named, [&] { return artifacts::ArtifactSet(target.identity(), named); });
  }

  std::optional<CalibratedDraft> search() {
    auto found = stored();
    if (found) price(*found);
    return found;
  }

 private:
  std::optional<CalibratedDraft> stored() {
    const std::string here = artifacts::draft_settings_group(engine::machine_name());
    if (auto found = read(here)) {
      found->this_machine = true;
      return found;
    }
    std::optional<CalibratedDraft> shortest;
    for (const std::string& group : known_->groups()) {
      if (group == here || !group.starts_with(std::string(artifacts::kDraftSettings) + "/"))
        continue;
      auto found = read(group);
      if (found && (!shortest || drafted(*found) < drafted(*shortest))) shortest = std::move(found);
    }
    return shortest;
  }

  /// Gives it this machine's speeds, as far as its costs are known.
  void price(CalibratedDraft& found) {
    cost::MachineDraftSettings& all = found.settings;
    const engine::Engine& engine = target_.engine();
    const bool timed = found.this_machine && all.threads == engine.threads() &&
                       all.numerics == engine.numerics_name();
    if (!timed && target_.quick_costs() == nullptr) return;
    const auto passes = machine_costs(target_, *known_);
    if (!passes) return;
    if (!timed) time_steps(all);
    found.this_machine = true;
    found.prices = {*passes, all.context, all.c()};
    for (cost::DraftSettings& one : all.by_temperature) one = cost::priced(one, *found.prices);
  }

  void time_steps(cost::MachineDraftSettings& all) {
    const cost::TimedSteps steps = target_.quick_costs()->steps(
        target_.engine(), target_.identity().model_hash, hash_, [this](int number) {
          std::string draft = draft_.string(), artifacts = draft;
          std::optional<int> threads = number;
          const auto loaded = load_draft(target_, draft, artifacts, threads);
          return cost::DraftModel{engine_of(loaded), loaded->model->head_tokens};
        });
    all.numerics = target_.engine().numerics_name();
    all.threads = target_.engine().threads();
    all.draft_threads = steps.threads;
    all.draft_seconds = steps.draft_seconds;
    all.pass_seconds = steps.target_seconds;
  }

  double drafted(const CalibratedDraft& found) const {
    return found.settings.nearest(target_.temperature()).best().drafted_per_round;
  }

  /// Of this draft model only.
  std::optional<CalibratedDraft> read(const std::string& group) {
    const artifacts::ArtifactFile* file = known_->with(group);
    if (file == nullptr) return std::nullopt;
    CalibratedDraft found;
    found.settings = artifacts::read_draft_settings(file->reader(), group);
    found.file = file->reader().name();
    if (hash_.empty()) hash_ = artifacts::draft_hash(artifacts::ArtifactFile(draft_));
    if (found.settings.draft != hash_) return std::nullopt;
    return found;
  }

  const MethodTarget& target_;
  std::filesystem::path draft_;
  std::shared_ptr<const artifacts::ArtifactSet> known_;
  std::string hash_;  // of the draft model; empty: not read yet
};

}  // namespace

std::optional<CalibratedDraft> find_calibrated_draft(const MethodTarget& target,
                                                     const std::string& draft,
                                                     const std::string& artifacts) {
  if (std::filesystem::path(draft).extension() != ".h5") return std::nullopt;
  return DraftSettingsSearch(target, draft, artifacts).search();
}

}  // namespace outrider::methods

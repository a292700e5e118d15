#include "runtime/methods/calibrated_trials.h"

#include <filesystem>
#include <utility>

#include "runtime/artifacts/draft.h"
#include "runtime/artifacts/drafting_cost.h"
#include "runtime/artifacts/group_hash.h"
#include "runtime/artifacts/trials.h"
#include "runtime/methods/calibrated.h"
#include "runtime/methods/loaded_draft.h"
#include "runtime/methods/machine_costs.h"
#include "runtime/methods/trial_settings.h"

namespace outrider::methods {
namespace {

/// Finds what passes of the target and of a drafter cost.
class Costs {
 public:
  Costs(const MethodTarget& target, const DrafterToFind& drafter, std::string hash,
        const artifacts::ArtifactSet& known)
      : target_(target), drafter_(drafter), hash_(std::move(hash)), known_(known) {}

  struct Found {
    cost::CostModel passes;
    cost::DraftingCost drafting;
    bool this_machine;
  };

  std::optional<Found> find() const {
    const std::string here =
        artifacts::drafting_cost_group(target_.engine().place().name, drafter_.method);
    const auto measured = drafting_in(here);
    const bool timed = measured && are_of_engine(*measured);
    if (timed || target_.quick_costs() != nullptr || !takes_passes())
      if (const auto passes = machine_costs(target_, known_))
        return Found{*passes, timed ? *measured : timed_now(measured), true};
    if (timed)
      if (const auto passes = artifacts::passes_beside(known_, here, *measured))
        return Found{*passes, *measured, true};
    return stored();
  }

 private:
  bool takes_passes() const { return !drafter_.file.empty(); }

  /// What was measured of this drafter on a machine.
  std::optional<cost::DraftingCost> drafting_in(const std::string& group) const {
    const artifacts::ArtifactFile* const file = known_.with(group);
    if (file == nullptr) return std::nullopt;
    auto measured = artifacts::read_drafting_cost(file->reader(), group);
    if (measured.drafter != hash_) return std::nullopt;
    return measured;
  }

  /// One processor can have several instruction sets: a virtual machine may hide some.
  bool are_of_engine(const cost::DraftingCost& measured) const {
    const engine::Engine& engine = target_.engine();
    return measured.threads == engine.workers() && measured.numerics == engine.numerics_name() &&
           measured.isa == engine.place().unit;
  }

  /// The drafter's passes timed here, if it takes any. @param known  on this machine beside another engine
  cost::DraftingCost timed_now(std::optional<cost::DraftingCost> known) const {
    if (!takes_passes()) return {};
    for (const std::string& group : artifacts::drafting_cost_groups(known_, drafter_.method))
      if (!known) known = drafting_in(group);
    const engine::Engine& engine = target_.engine();
    const cost::TimedSteps steps = target_.quick_costs()->steps(
        target_.engine(), target_.identity().model_hash, hash_, drafter_.load);
    cost::DraftingCost now = known.value_or(cost::DraftingCost{.rows = {1}, .shares = {1}});
    const double scale = steps.share() / now.shares.front();
    for (double& share : now.shares) share *= scale;
    now.drafter = hash_;
    now.numerics = engine.numerics_name();
    now.isa = engine.place().unit;
    now.threads = engine.workers();
    now.draft_threads = steps.threads;
    return now;
  }

  std::optional<Found> stored() const {
    for (const std::string& group : artifacts::drafting_cost_groups(known_, drafter_.method)) {
      const auto drafting = drafting_in(group);
      if (!drafting) continue;
      if (const auto passes = artifacts::passes_beside(known_, group, *drafting))
        return Found{*passes, *drafting, false};
    }
    return std::nullopt;
  }

  const MethodTarget& target_;
  const DrafterToFind& drafter_;
  std::string hash_;
  const artifacts::ArtifactSet& known_;
};

}  // namespace

cost::SettingValues CalibratedTrials::given_by(Method& method) const {
  return given_of(method, names);
}

void CalibratedTrials::fill(Method& method, const cost::Trial& trial) const {
  fill_open(method, trial.settings, file + group);
}

std::optional<int> CalibratedTrials::draft_threads() const {
  if (!this_machine || drafting.draft_threads >= drafting.threads) return std::nullopt;
  return drafting.draft_threads;
}

std::optional<CalibratedTrials> find_calibrated_trials(const MethodTarget& target,
                                                       const DrafterToFind& drafter) {
  const std::filesystem::path of_drafter = drafter.file;
  if (!drafter.file.empty() && of_drafter.extension() != ".h5") return std::nullopt;
  const auto known =
      known_artifacts(target, drafter.artifacts.empty() ? drafter.file : drafter.artifacts);
  const artifacts::ArtifactFile* const file = artifacts::file_with_trials(*known, drafter.method);
  if (file == nullptr) return std::nullopt;
  const std::string group = artifacts::trials_group(drafter.method);
  const cost::Trials all = artifacts::read_trials(file->reader(), group);
  const std::string hash =
      drafter.file.empty()
          ? drafter.choice
          : artifacts::group_hash(artifacts::ArtifactFile(of_drafter), drafter.group);
  if (all.drafter != hash) return std::nullopt;
  auto costs = Costs(target, drafter, hash, *known).find();
  if (!costs) return std::nullopt;
  CalibratedTrials found = {.names = all.names,
                            .tried = all.nearest(target.temperature()),
                            .drafting = std::move(costs->drafting),
                            .passes = std::move(costs->passes),
                            .context = all.context,
                            .this_machine = costs->this_machine,
                            .file = file->reader().name(),
                            .group = group};
  found.tried.price(
      cost::TrialPrices::at(found.tried.temperature, found.passes, found.context, found.drafting));
  return found;
}

DrafterToFind draft_model_to_find(const MethodTarget& target, const std::string& method,
                                  const std::string& draft, const std::string& artifacts) {
  return {.method = method,
          .file = draft,
          .group = artifacts::kDraft,
          .artifacts = artifacts,
          .load = [target = &target, draft](int number) {
            std::string file = draft, same = draft;
            std::optional<int> threads = number;
            const auto loaded = load_draft(*target, file, same, threads);
            return cost::DraftModel{engine_of(loaded), loaded->model->head_tokens};
          }};
}

}  // namespace outrider::methods

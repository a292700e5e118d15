#include "runtime/methods/calibrated_trials.h"

#include <filesystem>
#include <utility>

#include "runtime/artifacts/draft_group.h"
#include "runtime/artifacts/drafting_cost_group.h"
#include "runtime/artifacts/group_hash.h"
#include "runtime/artifacts/trials_group.h"
#include "runtime/methods/calibrated.h"
#include "runtime/methods/draft_model_settings.h"
#include "runtime/methods/loaded_draft.h"
#include "runtime/methods/machine_costs.h"
#include "runtime/methods/trial_settings.h"

namespace outrider::methods {
namespace {

/// Whether a file was written after another. A drafter may have been calibrated twice, as the target's own and by --draft
/// FILE: the later result counts.
bool is_newer(const artifacts::ArtifactFile& file, const artifacts::ArtifactFile& other) {
  const auto written = [](const artifacts::ArtifactFile& of) {
    return std::filesystem::last_write_time(of.reader().name());
  };
  return written(file) > written(other);
}

/// Tokens of a text of usual length.
constexpr int kUsualContext = 512;

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

  /// For as many texts as are decoded at a time.
  std::optional<Found> find() const {
    auto found = find_alone();
    if (found && target_.sequences() > 1) share(*found);
    return found;
  }

 private:
  std::optional<Found> find_alone() const {
    const std::string& machine = target_.engine().place().name;
    std::string here;
    std::optional<cost::DraftingCost> measured;
    const artifacts::ArtifactFile* from = nullptr;
    for (const std::string& group :
         {artifacts::drafting_cost_group(machine, drafter_.method),
          artifacts::drafting_cost_group(machine, drafter_.method, hash_)}) {
      auto found = drafting_in(group);
      const artifacts::ArtifactFile* const file = known_.with(group);
      if (!found || (from != nullptr && !is_newer(*file, *from))) continue;
      here = group;
      measured = std::move(found);
      from = file;
    }
    const bool timed = measured && are_of_engine(*measured);
    if (timed || target_.quick_costs() != nullptr || !takes_passes())
      if (const auto passes = machine_costs(target_.together(1), known_))
        return Found{*passes, timed ? *measured : timed_now(measured), true};
    if (timed)
      if (const auto passes = artifacts::passes_beside(known_, here, *measured))
        return Found{*passes, *measured, true};
    return stored();
  }

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

  /// Prices what one text takes of passes that all share. It drafts in passes of its own, which are a larger share of that.
  void share(Found& found) const {
    const cost::PassPoint row = {.context = kUsualContext};
    const double alone = found.passes.seconds(row);
    found.passes = found.passes.of_each(target_.sequences());
    const double scale = alone / found.passes.seconds(row);
    for (double& share : found.drafting.shares) share *= scale;
    found.drafting.choice_share *= scale;
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

struct StoredTrials {
  const artifacts::ArtifactFile* file;
  std::string group;
  cost::Trials trials;
};

/// The trials of a drafter, whether calibration was given its name or found it as the target's own.
/// @param may_be_own  it is none of another file than artifacts
std::optional<StoredTrials> stored_trials(const artifacts::ArtifactSet& known,
                                          const DrafterToFind& drafter, bool may_be_own) {
  std::vector<std::string> groups;
  if (may_be_own && artifacts::file_with_trials(known, drafter.method) != nullptr)
    groups.push_back(artifacts::trials_group(drafter.method));
  const bool has_named = artifacts::has_trials_of_named(known, drafter.method);
  if (groups.empty() && !has_named) return std::nullopt;
  const std::string hash = drafter.identity();
  if (has_named) groups.push_back(artifacts::trials_group(drafter.method, hash));
  std::optional<StoredTrials> found;
  for (const std::string& group : groups) {
    const artifacts::ArtifactFile* const file = known.with(group);
    if (file == nullptr || (found && !is_newer(*file, *found->file))) continue;
    cost::Trials trials = artifacts::read_trials(file->reader(), group);
    if (trials.drafter == hash) found = StoredTrials{file, group, std::move(trials)};
  }
  return found;
}

}  // namespace

cost::SettingValues CalibratedTrials::given_by(Method& method) const {
  return given_of(method, names);
}

void CalibratedTrials::fill(Method& method, const cost::Trial& trial) const {
  fill_open(method, trial.settings, file + group);
}

const cost::Trial* CalibratedTrials::take(Method& method, std::optional<int>& threads,
                                          std::optional<int>* amount) const {
  const cost::Trial* const trial = best(method);
  if (trial != nullptr) {
    if (amount != nullptr && tried.speed_up(*trial) < kLeastDraftSpeedUp) *amount = 0;
    fill(method, *trial);
  }
  if (!threads) threads = draft_threads();
  return trial;
}

std::optional<int> CalibratedTrials::draft_threads() const {
  if (!this_machine || drafting.draft_threads >= drafting.threads) return std::nullopt;
  return drafting.draft_threads;
}

std::optional<CalibratedTrials> find_calibrated_trials(const MethodTarget& target,
                                                       const DrafterToFind& drafter) {
  const bool is_artifact = is_artifact_file(drafter.file);
  const auto known = known_artifacts(
      target, drafter.artifacts.empty() && is_artifact ? drafter.file : drafter.artifacts);
  const auto stored = stored_trials(*known, drafter, drafter.file.empty() || is_artifact);
  if (!stored) return std::nullopt;
  const auto& [file, group, all] = *stored;
  auto costs = Costs(target, drafter, all.drafter, *known).find();
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
                                  const std::string& draft, const std::string& artifacts,
                                  std::optional<int> vocab) {
  return {
      .method = method,
      .file = draft,
      .identity =
          [target = &target, draft, artifacts, vocab] {
            if (is_artifact_file(draft))
              return artifacts::draft_hash(artifacts::ArtifactFile(std::filesystem::path(draft)));
            return draft_identity(draft, *load_draft_model(*target, draft, artifacts, vocab));
          },
      .artifacts = artifacts,
      .load =
          [target = &target, draft, artifacts, vocab](int number) {
            std::string file = draft, same = artifacts;
            std::optional<int> threads = number;
            const auto loaded = load_draft(*target, file, same, threads, vocab);
            return cost::DraftModel{engine_of(loaded), loaded->model->head_tokens};
          }};
}

}  // namespace outrider::methods

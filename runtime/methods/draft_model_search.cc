#include "runtime/methods/draft_model_search.h"

#include "runtime/artifacts/draft.h"
#include "runtime/artifacts/group_hash.h"
#include "runtime/methods/calibrated.h"
#include "runtime/methods/loaded_draft.h"

namespace outrider::methods {

DraftModelSearch::DraftModelSearch(const MethodTarget& target, const std::string& draft,
                                   const std::string& artifacts)
    : DraftModelSearch(target, draft, artifacts, artifacts::kDraft,
                       [target = &target, draft](int number) {
                         std::string file = draft, same = draft;
                         std::optional<int> threads = number;
                         const auto loaded = load_draft(*target, file, same, threads);
                         return cost::DraftModel{engine_of(loaded), loaded->model->head_tokens};
                       }) {}

DraftModelSearch::DraftModelSearch(const MethodTarget& target, const std::string& draft,
                                   const std::string& artifacts, std::string group,
                                   cost::QuickCosts::DraftWith draft_with)
    : target_(target), draft_(draft), group_(std::move(group)), draft_with_(std::move(draft_with)) {
  const std::string& named = artifacts.empty() ? draft : artifacts;
  known_ = known_artifacts(target, named);
}

const std::string& DraftModelSearch::hash() {
  if (hash_.empty()) hash_ = artifacts::group_hash(artifacts::ArtifactFile(draft_), group_);
  return hash_;
}

cost::TimedSteps DraftModelSearch::time_steps(cost::CalibratedPair& pair) {
  const cost::TimedSteps steps = target_.quick_costs()->steps(
      target_.engine(), target_.identity().model_hash, hash(), draft_with_);
  pair.numerics = target_.engine().numerics_name();
  pair.isa = target_.engine().place().unit;
  pair.threads = target_.engine().workers();
  pair.draft_threads = steps.threads;
  return steps;
}

}  // namespace outrider::methods

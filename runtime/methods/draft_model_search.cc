#include "runtime/methods/draft_model_search.h"

#include "runtime/artifacts/draft.h"
#include "runtime/cost/quick_costs.h"
#include "runtime/methods/calibrated.h"
#include "runtime/methods/loaded_draft.h"

namespace outrider::methods {

DraftModelSearch::DraftModelSearch(const MethodTarget& target, const std::string& draft,
                                   const std::string& artifacts)
    : target_(target), draft_(draft) {
  const std::string& named = artifacts.empty() ? draft : artifacts;
  known_ = known_artifacts(target, named);
}

const std::string& DraftModelSearch::hash() {
  if (hash_.empty()) hash_ = artifacts::draft_hash(artifacts::ArtifactFile(draft_));
  return hash_;
}

cost::TimedSteps DraftModelSearch::time_steps(cost::CalibratedPair& pair) {
  const cost::TimedSteps steps = target_.quick_costs()->steps(
      target_.engine(), target_.identity().model_hash, hash(), [this](int number) {
        std::string draft = draft_.string(), artifacts = draft;
        std::optional<int> threads = number;
        const auto loaded = load_draft(target_, draft, artifacts, threads);
        return cost::DraftModel{engine_of(loaded), loaded->model->head_tokens};
      });
  pair.numerics = target_.engine().numerics_name();
  pair.isa = target_.engine().isa_name();
  pair.threads = target_.engine().threads();
  pair.draft_threads = steps.threads;
  return steps;
}

}  // namespace outrider::methods

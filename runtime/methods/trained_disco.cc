#include "runtime/methods/trained_disco.h"

#include <fmt/core.h>

#include "runtime/artifacts/artifact_set.h"
#include "runtime/base/error.h"
#include "runtime/draft/stop/make_stop_policy.h"
#include "runtime/methods/calibrated.h"
#include "runtime/methods/loaded_draft.h"

namespace outrider::methods {
namespace {

struct StoredDisco {
  std::string file;
  std::shared_ptr<const artifacts::TrainedDisco> disco;  // null where there is none
};

StoredDisco stored_disco(const MethodTarget& target, const std::string& group,
                         const std::string& draft, const std::string& artifacts) {
  const auto known =
      known_artifacts(target, artifacts.empty() && is_artifact_file(draft) ? draft : artifacts);
  const artifacts::ArtifactFile* file = known->with(group);
  if (file == nullptr) return {};
  return {file->reader().name(),
          std::make_shared<artifacts::TrainedDisco>(artifacts::read_disco(file->reader(), group))};
}

}  // namespace

std::shared_ptr<const artifacts::TrainedDisco> find_trained_disco(
    const MethodTarget& target, const std::string& stop, const std::string& set,
    const std::string& draft, const model::Model& model, const std::string& artifacts) {
  const std::string group = artifacts::stop_group(stop, set);
  const std::string of_set = set == artifacts::kAllTexts ? "" : " --set " + set;
  const auto [file, disco] = stored_disco(target, group, draft, artifacts);
  if (!disco)
    throw InputError(fmt::format(
        "--draft-stop {}: found no artifact file with {} for {}; `train disco{}` makes it", stop,
        group, target.identity().name, of_set));
  if (const std::string hash = draft_identity(draft, model); hash != disco->draft)
    throw InputError(
        fmt::format("--draft-stop {}: {} was trained for the draft model {}, and {} is {}; `train "
                    "disco` makes it for this one",
                    stop, file, disco->draft, draft, hash));
  return disco;
}

std::shared_ptr<const artifacts::TrainedDisco> find_usual_stop(const MethodTarget& target,
                                                               const std::string& draft,
                                                               const model::Model& model,
                                                               const std::string& artifacts) {
  const auto disco = stored_disco(target, artifacts::kStopClassifier, draft, artifacts).disco;
  return disco && disco->draft == draft_identity(draft, model) ? disco : nullptr;
}

}  // namespace outrider::methods

#include "runtime/methods/trained_disco.h"

#include <fmt/core.h>

#include <filesystem>

#include "runtime/artifacts/artifact_set.h"
#include "runtime/artifacts/draft.h"
#include "runtime/base/error.h"
#include "runtime/base/hash.h"
#include "runtime/draft/stop/make_stop_policy.h"
#include "runtime/methods/calibrated.h"
#include "runtime/model/identity.h"

namespace outrider::methods {
namespace {

bool is_artifact(const std::string& draft) {
  return std::filesystem::path(draft).extension() == ".h5";
}

struct StoredDisco {
  std::string file;
  std::shared_ptr<const artifacts::TrainedDisco> disco;  // null where there is none
};

StoredDisco stored_disco(const MethodTarget& target, const std::string& group,
                         const std::string& draft, const std::string& artifacts) {
  const auto known =
      known_artifacts(target, artifacts.empty() && is_artifact(draft) ? draft : artifacts);
  const artifacts::ArtifactFile* file = known->with(group);
  if (file == nullptr) return {};
  return {file->reader().name(),
          std::make_shared<artifacts::TrainedDisco>(artifacts::read_disco(file->reader(), group))};
}

}  // namespace

std::string draft_identity(const std::string& draft, const model::Model& model) {
  if (is_artifact(draft))
    return artifacts::draft_hash(artifacts::ArtifactFile(std::filesystem::path(draft)));
  const std::string hash = model::model_hash(model);
  if (model.head_tokens.empty()) return hash;
  Hasher of_head;
  of_head.add_text(hash);
  for (const Token token : model.head_tokens) of_head.add_number(static_cast<std::uint64_t>(token));
  return of_head.hex();
}

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
        fmt::format("--draft-stop {}: {} was trained for the draft model {}, and {} is {}; "
                    "`train disco` makes it for this one",
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

#include "train/run/draft_start.h"

#include <fmt/core.h>

#include "runtime/artifacts/artifact_file.h"
#include "runtime/artifacts/draft_group.h"
#include "runtime/base/error.h"
#include "train/run/earlier_run.h"
#include "train/trainer/parameter_state.h"

namespace outrider::train {

DraftStart::DraftStart(const std::filesystem::path& path, const model::Model& target)
    : path_(path) {
  if (names_run(path))
    take_run(read_earlier_run(path, target, "draft"));
  else
    take_artifact(target);
}

void DraftStart::take_run(Checkpoint checkpoint) {
  const nlohmann::json& objective = checkpoint.identity.at("objective");
  objective.at("layers").get_to(layers_);
  objective.at("head_tokens").get_to(head_tokens_);
  hash_ = hash_of_best(checkpoint.parameters);
  weights_ = std::move(checkpoint.parameters);
}

void DraftStart::take_artifact(const model::Model& target) {
  const artifacts::ArtifactFile file(path_);
  file.check_made_for(artifacts::identity_of(target));
  if (!file.has(artifacts::kDraft))
    throw InputError(fmt::format("--start-from {}: expected a draft model, found no {} in it",
                                 path_.string(), artifacts::kDraft));
  model::Model draft = artifacts::read_draft(file, target);
  layers_ = artifacts::read_from_layers(file);
  head_tokens_ = draft.tokens_of_head();
  hash_ = artifacts::draft_hash(file);
  weights_ = std::move(draft);
}

void DraftStart::give_weights(DraftObjective& objective) const {
  if (const auto* saved = std::get_if<std::vector<SavedParameter>>(&weights_))
    restore_best(*saved, objective.parameters());
  else
    objective.draft().start_from(std::get<model::Model>(weights_));
}

}  // namespace outrider::train

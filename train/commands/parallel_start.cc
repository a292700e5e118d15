#include "train/commands/parallel_start.h"

#include <fmt/core.h>

#include "runtime/artifacts/artifact_file.h"
#include "runtime/artifacts/group_hash.h"
#include "runtime/artifacts/parallel.h"
#include "runtime/base/error.h"
#include "train/commands/earlier_run.h"
#include "train/trainer/parameter_state.h"

namespace outrider::train {

ParallelStart::ParallelStart(const std::filesystem::path& path, const model::Model& target,
                             Flavour flavour)
    : path_(path) {
  shape_.flavour = flavour;
  if (names_run(path))
    take_run(read_earlier_run(path, target, "parallelspec"));
  else
    take_artifact(target);
}

void ParallelStart::take_run(Checkpoint checkpoint) {
  const nlohmann::json& objective = checkpoint.identity.at("objective");
  const char* const expected = draft::name_of(shape_.flavour);
  if (const auto found = objective.at("flavour").get<std::string>(); found != expected)
    throw InputError(fmt::format("--start-from {}: expected a run of --flavour {}, found one of {}",
                                 path_.string(), expected, found));
  shape_.token_inputs = objective.at("token_inputs");
  shape_.masks = objective.at("masks");
  final_norm_ = objective.at("final_norm");
  objective.at("head_tokens").get_to(head_tokens_);
  hash_ = hash_of_best(checkpoint.parameters);
  weights_ = std::move(checkpoint.parameters);
}

void ParallelStart::take_artifact(const model::Model& target) {
  const artifacts::ArtifactFile file(path_);
  file.check_made_for(artifacts::identity_of(target));
  const std::string group = artifacts::parallel_group(shape_.flavour);
  if (!file.has(group))
    throw InputError(fmt::format("--start-from {}: expected a drafter of --flavour {}, found no {}",
                                 path_.string(), draft::name_of(shape_.flavour), group));
  draft::ParallelModel drafter = artifacts::read_parallel(file, target, shape_.flavour);
  shape_.token_inputs = drafter.token_inputs;
  shape_.masks = drafter.masks();
  final_norm_ = drafter.layer.final_norm.rows > 0;
  head_tokens_ = drafter.layer.tokens_of_head();
  hash_ = artifacts::group_hash(file, group);
  weights_ = std::move(drafter);
}

void ParallelStart::give_weights(ParallelObjective& objective) const {
  if (const auto* saved = std::get_if<std::vector<SavedParameter>>(&weights_))
    restore_best(*saved, objective.parameters());
  else
    objective.drafter().start_from(std::get<draft::ParallelModel>(weights_));
}

}  // namespace outrider::train

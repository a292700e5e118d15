#include "train/run/parallelspec_start.h"

#include <fmt/core.h>

#include <algorithm>

#include "runtime/artifacts/artifact_file.h"
#include "runtime/artifacts/group_hash.h"
#include "runtime/artifacts/parallelspec_group.h"
#include "runtime/base/error.h"
#include "train/run/earlier_run.h"
#include "train/trainer/parameter_state.h"

namespace outrider::train {
namespace {

/// The flavours whose layer a drafter of this one can start from, its own first.
std::vector<Flavour> flavours_to_start(Flavour flavour) {
  if (flavour == Flavour::kEagle) return {flavour, Flavour::kEagleAr};
  if (flavour == Flavour::kEagleAr) return {flavour, Flavour::kEagle};
  return {flavour};
}

}  // namespace

ParallelSpecShape shape_in(const nlohmann::json& objective, Flavour flavour) {
  ParallelSpecShape shape;
  shape.flavour = flavour;
  shape.token_inputs = objective.at("token_inputs");
  shape.masks = objective.at("masks");
  shape.shared_mask = objective.value("shared_mask", false);
  shape.feed_forward = objective.value("feed_forward", 0);
  if (const auto exported = objective.find("exported"); exported != objective.end())
    shape.exported = {exported->at("layers").get<std::vector<int>>(),
                      exported->at("mask_token").get<Token>()};
  return shape;
}

ParallelSpecStart::ParallelSpecStart(const std::filesystem::path& path, const model::Model& target,
                                     Flavour flavour, bool is_export)
    : path_(path), flavour_(flavour), is_export_(is_export) {
  if (names_run(path))
    take_run(read_earlier_run(path, target, "parallelspec"));
  else
    take_artifact(target);
}

void ParallelSpecStart::take_run(Checkpoint checkpoint) {
  const nlohmann::json& objective = checkpoint.identity.at("objective");
  const auto found = objective.at("flavour").get<std::string>();
  const std::vector<Flavour> possible = flavours_to_start(flavour_);
  const auto same = std::find_if(possible.begin(), possible.end(),
                                 [&](Flavour flavour) { return draft::name_of(flavour) == found; });
  if (same == possible.end())
    throw InputError(fmt::format("--start-from {}: expected a run of --flavour {}, found one of {}",
                                 path_.string(), draft::name_of(flavour_), found));
  if (is_export_ != objective.contains("exported"))
    throw InputError(fmt::format(
        "--start-from {}: expected a run {} --export-shape, found one {}: the layers read other "
        "inputs",
        path_.string(), is_export_ ? "with" : "without", is_export_ ? "without" : "with"));
  if (draft::ParallelSpecModel::reads_pairs(flavour_) && !is_export_ &&
      !objective.contains("inputs_in_units"))
    throw InputError(
        fmt::format("--start-from {}: a run of an earlier version, whose inputs had other units; "
                    "start from the artifact file that it wrote",
                    path_.string()));
  shape_ = shape_in(objective, *same);
  final_norm_ = objective.at("final_norm");
  objective.at("head_tokens").get_to(head_tokens_);
  hash_ = hash_of_best(checkpoint.parameters);
  weights_ = std::move(checkpoint.parameters);
}

void ParallelSpecStart::take_artifact(const model::Model& target) {
  if (is_export_)
    throw InputError(
        fmt::format("--start-from {}: expected a run with --export-shape, found an artifact file, "
                    "which has no such drafter",
                    path_.string()));
  const artifacts::ArtifactFile file(path_);
  file.check_made_for(artifacts::identity_of(target));
  const std::vector<Flavour> possible = flavours_to_start(flavour_);
  const auto held = std::find_if(possible.begin(), possible.end(), [&](Flavour flavour) {
    return file.has(artifacts::parallelspec_group(flavour));
  });
  if (held == possible.end())
    throw InputError(fmt::format("--start-from {}: expected a drafter of --flavour {}, found no {}",
                                 path_.string(), draft::name_of(flavour_),
                                 artifacts::parallelspec_group(flavour_)));
  shape_.flavour = *held;
  const std::string group = artifacts::parallelspec_group(shape_.flavour);
  draft::ParallelSpecModel drafter = artifacts::read_parallelspec(file, target, shape_.flavour);
  shape_.token_inputs = drafter.token_inputs;
  shape_.masks = drafter.masks();
  if (const int units = drafter.layer.config.ffn_width;
      !drafter.has_heads() && units != target.config.ffn_width)
    shape_.feed_forward = units;
  final_norm_ = drafter.layer.final_norm.rows > 0;
  head_tokens_ = drafter.layer.tokens_of_head();
  hash_ = artifacts::group_hash(file, group);
  weights_ = std::move(drafter);
}

void ParallelSpecStart::give_weights(ParallelSpecObjective& objective) const {
  if (const auto* served = std::get_if<draft::ParallelSpecModel>(&weights_))
    return objective.served_drafter()->start_from(*served);
  std::vector<SavedParameter> saved = std::get<std::vector<SavedParameter>>(weights_);
  std::vector<Parameter> parameters = objective.parameters();
  if (shape_.flavour != flavour_) {
    const auto is_mask = [](const auto& parameter) { return parameter.name.starts_with("mask_"); };
    std::erase_if(saved, is_mask);
    std::erase_if(parameters, is_mask);
  }
  restore_best(saved, parameters);
}

}  // namespace outrider::train

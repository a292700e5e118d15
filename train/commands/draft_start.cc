#include "train/commands/draft_start.h"

#include <fmt/core.h>

#include <numeric>
#include <span>

#include "runtime/artifacts/artifact_file.h"
#include "runtime/artifacts/draft.h"
#include "runtime/base/error.h"
#include "runtime/base/hash.h"
#include "runtime/model/identity.h"
#include "train/commands/work_folder.h"
#include "train/trainer/parameter_state.h"

namespace outrider::train {
namespace {

bool is_run(const std::filesystem::path& path) {
  return std::filesystem::is_directory(path) || !std::filesystem::exists(path) ||
         is_checkpoint(path);
}

std::string hash_of_best(const std::vector<SavedParameter>& parameters) {
  Hasher hasher;
  for (const SavedParameter& saved : parameters) {
    const std::vector<float>& values = saved.best.empty() ? saved.value : saved.best;
    hasher.add_text(saved.name);
    hasher.add_number(values.size());
    hasher.add(std::as_bytes(std::span(values)));
  }
  return hasher.hex();
}

}  // namespace

DraftStart::DraftStart(const std::filesystem::path& path, const model::Model& target)
    : path_(path) {
  if (is_run(path))
    take_run(read_run(path), target);
  else
    take_artifact(target);
}

void DraftStart::take_run(Checkpoint checkpoint, const model::Model& target) {
  const nlohmann::json& objective = checkpoint.identity.at("objective");
  if (const auto what = objective.at("objective").get<std::string>(); what != "draft")
    throw InputError(fmt::format("--start-from {}: expected a run of train draft, found one of {}",
                                 path_.string(), what));
  const auto expected = model::model_hash(target),
             found = objective.at("target").get<std::string>();
  if (found != expected)
    throw InputError(fmt::format(
        "--start-from {}: expected a draft of {}, whose hash is {}, found one of a model whose "
        "hash is {}",
        path_.string(), target.path.string(), expected, found));
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
  head_tokens_ = draft.head_tokens;
  if (head_tokens_.empty()) {
    head_tokens_.resize(static_cast<std::size_t>(target.config.vocab));
    std::iota(head_tokens_.begin(), head_tokens_.end(), 0);
  }
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

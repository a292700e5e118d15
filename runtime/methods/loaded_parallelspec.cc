#include "runtime/methods/loaded_parallelspec.h"

#include <fmt/core.h>

#include <filesystem>
#include <utility>

#include "runtime/artifacts/artifact_set.h"
#include "runtime/artifacts/group_hash.h"
#include "runtime/artifacts/parallelspec_group.h"
#include "runtime/base/error.h"
#include "runtime/draft/parallelspec/medusa_heads_drafter.h"
#include "runtime/draft/parallelspec/parallelspec_drafter.h"
#include "runtime/methods/calibrated.h"
#include "runtime/methods/loaded_draft.h"

namespace outrider::methods {
namespace {

using Flavour = draft::ParallelSpecModel::Flavour;

/// The command that makes a drafter.
std::string training_of(Flavour flavour) {
  return fmt::format("train parallelspec --flavour {}", name_of(flavour));
}

LoadedParallelSpec load_file(const MethodTarget& target, Flavour flavour, const std::string& path,
                             int threads) {
  const artifacts::ArtifactFile file{std::filesystem::path(path)};
  file.check_made_for(target.identity());
  const std::string group = artifacts::parallelspec_group(flavour);
  if (!file.has(group))
    throw InputError(
        fmt::format("--draft: {} has no {}; `{}` makes it", path, group, training_of(flavour)));
  LoadedParallelSpec loaded;
  loaded.model = std::make_unique<const draft::ParallelSpecModel>(
      artifacts::read_parallelspec(file, target.model(), flavour));
  artifacts::check_head_is_of(target.model(), *loaded.model);
  loaded.engine = make_draft_engine(target, loaded.model->layer, threads);
  if (loaded.model->has_heads())
    loaded.residual = make_draft_engine(target, loaded.model->residual, threads);
  return loaded;
}

}  // namespace

std::shared_ptr<const draft::ParallelSpecModel> model_of(
    const std::shared_ptr<const LoadedParallelSpec>& loaded) {
  return {loaded, loaded->model.get()};
}

cost::DraftModel drafter_to_time(const std::shared_ptr<const LoadedParallelSpec>& loaded) {
  cost::DraftModel timed = {engine_of(loaded), loaded->model->layer.head_tokens};
  if (!loaded->model->drafts_one_by_one()) timed.passes = 1;
  if (loaded->model->has_heads())
    timed.heads = std::make_shared<draft::MedusaHeadsPasses>(
        model_of(loaded), std::shared_ptr<engine::Engine>(loaded, loaded->residual.get()),
        std::shared_ptr<engine::Engine>(loaded, loaded->engine.get()));
  return timed;
}

std::unique_ptr<draft::Drafter> new_drafter(const std::shared_ptr<const LoadedParallelSpec>& loaded,
                                            const draft::ParallelSpecDrafterOptions& options) {
  // What it is given keeps all that was loaded.
  const std::shared_ptr<const draft::ParallelSpecModel> model = model_of(loaded);
  const std::shared_ptr<engine::Engine> engine(loaded, loaded->engine.get());
  if (!model->has_heads())
    return std::make_unique<draft::ParallelSpecDrafter>(model, engine, options);
  const std::shared_ptr<engine::Engine> residual(loaded, loaded->residual.get());
  return std::make_unique<draft::MedusaHeadsDrafter>(model, residual, engine, options);
}

void find_parallelspec(const MethodTarget& target, Flavour flavour, std::string& draft,
                       std::string& artifacts) {
  if (!draft.empty()) return;
  const std::string group = artifacts::parallelspec_group(flavour);
  const Calibrated found = find_calibrated(target, artifacts, group, training_of(flavour));
  if (found.file == nullptr)
    throw InputError(fmt::format(
        "--draft: expected an artifact file with {}: found none for {} in {}; `{} -m {}` makes it",
        group, target.identity().name, folders_text(target), training_of(flavour),
        target.model().path.string()));
  draft = found.file->reader().name();
}

DrafterToFind parallelspec_to_find(const MethodTarget& target, Flavour flavour,
                                   const std::string& draft, const std::string& artifacts) {
  return {.method = draft::method_of(flavour),
          .file = draft,
          .identity =
              [flavour, draft] {
                return artifacts::group_hash(artifacts::ArtifactFile(std::filesystem::path(draft)),
                                             artifacts::parallelspec_group(flavour));
              },
          .artifacts = artifacts,
          .load =
              [target = &target, flavour, draft](int threads) {
                std::string file = draft, same = draft;
                return drafter_to_time(load_parallelspec(*target, flavour, file, same, threads));
              }};
}

std::shared_ptr<const LoadedParallelSpec> load_parallelspec(const MethodTarget& target,
                                                            Flavour flavour, std::string& draft,
                                                            std::string& artifacts, int threads) {
  find_parallelspec(target, flavour, draft, artifacts);
  return target.load_once<LoadedParallelSpec>(
      fmt::format("{} {} {}", name_of(flavour), draft, threads),
      [&] { return load_file(target, flavour, draft, threads); });
}

}  // namespace outrider::methods

#include "runtime/methods/loaded_parallel.h"

#include <fmt/core.h>

#include <filesystem>
#include <utility>

#include "runtime/artifacts/artifact_set.h"
#include "runtime/artifacts/parallel.h"
#include "runtime/base/error.h"
#include "runtime/methods/calibrated.h"
#include "runtime/methods/loaded_draft.h"

namespace outrider::methods {
namespace {

using Flavour = draft::ParallelModel::Flavour;

/// Sets `draft` to the file with a drafter of the flavour.
void find_parallel(const MethodTarget& target, Flavour flavour, const std::string& command,
                   std::string& draft, std::string& artifacts) {
  const Calibrated found =
      find_calibrated(target, artifacts, artifacts::parallel_group(flavour), command);
  if (found.file == nullptr)
    throw InputError(
        fmt::format("--draft: expected an artifact file with {}: found none for {} in "
                    "{}/; `{} -m {}` makes it",
                    artifacts::parallel_group(flavour), target.identity().name,
                    artifacts::kArtifactFolder, command, target.model().path.string()));
  draft = found.file->reader().name();
}

LoadedParallel load_file(const MethodTarget& target, Flavour flavour, const std::string& command,
                         const std::string& path, int threads) {
  const artifacts::ArtifactFile file{std::filesystem::path(path)};
  file.check_made_for(target.identity());
  const std::string group = artifacts::parallel_group(flavour);
  if (!file.has(group))
    throw InputError(fmt::format("--draft: {} has no {}; `{}` makes it", path, group, command));
  LoadedParallel loaded;
  loaded.model = std::make_unique<const draft::ParallelModel>(
      artifacts::read_parallel(file, target.model(), flavour));
  artifacts::check_head_is_of(target.model(), *loaded.model);
  loaded.engine = make_draft_engine(target, loaded.model->layer, threads);
  return loaded;
}

}  // namespace

std::shared_ptr<const draft::ParallelModel> model_of(std::shared_ptr<const LoadedParallel> loaded) {
  const draft::ParallelModel* const model = loaded->model.get();
  return {std::move(loaded), model};
}

std::shared_ptr<const LoadedParallel> load_parallel(const MethodTarget& target, Flavour flavour,
                                                    std::string& draft, std::string& artifacts,
                                                    int threads) {
  const std::string command = fmt::format("train parallelspec --flavour {}", name_of(flavour));
  if (draft.empty()) find_parallel(target, flavour, command, draft, artifacts);
  return target.load_once<LoadedParallel>(
      fmt::format("{} {} {}", name_of(flavour), draft, threads),
      [&] { return load_file(target, flavour, command, draft, threads); });
}

}  // namespace outrider::methods

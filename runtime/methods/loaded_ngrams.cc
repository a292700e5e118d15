#include "runtime/methods/loaded_ngrams.h"

#include <fmt/core.h>

#include "runtime/artifacts/artifact_set.h"
#include "runtime/artifacts/ngrammys.h"
#include "runtime/base/error.h"
#include "runtime/engine/machine.h"
#include "runtime/methods/calibrated.h"
#include "runtime/methods/shared_settings.h"

namespace outrider::methods {

int LoadedNgrams::drafts(std::optional<int> given) const {
  return given.value_or(fastest ? fastest->drafts : kDrafts);
}

int LoadedNgrams::draft_length(std::optional<int> given) const {
  return given.value_or(fastest ? fastest->draft_length : kDraftLength);
}

LoadedNgrams load_ngrams(const MethodTarget& target, const std::string& method,
                         std::string& artifacts) {
  const Calibrated calibrated =
      find_calibrated(target, artifacts, artifacts::kNgrammys, "calibrate ngrams");
  if (calibrated.file == nullptr)
    throw InputError(fmt::format(
        "--method {}: found no artifact file for {} in {}/ with its tables; `calibrate "
        "ngrams -m {}` makes it, --artifacts names one elsewhere",
        method, target.identity().name, artifacts::kArtifactFolder, target.model().path.string()));
  LoadedNgrams loaded;
  loaded.tables = target.load_once<draft::NgramTables>(
      artifacts, [&] { return artifacts::read_ngrammys(*calibrated.file); });
  const std::string grid = artifacts::ngrammys_grid_group(engine::machine_name());
  if (const auto* file = calibrated.known->with(grid))
    loaded.fastest = artifacts::read_ngrammys_grid(file->reader(), grid).best_drafting();
  return loaded;
}

void check_drafts(int drafts, int most) {
  if (drafts > most)
    throw InputError(fmt::format(
        "--drafts: found {}, but the table keeps {}; `calibrate ngrams --keep-top {}` makes more",
        drafts, most, drafts));
}

}  // namespace outrider::methods

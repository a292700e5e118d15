#include "runtime/methods/loaded_ngrams.h"

#include <fmt/core.h>

#include <utility>

#include "runtime/artifacts/artifact_set.h"
#include "runtime/artifacts/ngrammys.h"
#include "runtime/base/error.h"
#include "runtime/cost/draft_grid.h"
#include "runtime/cost/priced.h"
#include "runtime/methods/calibrated.h"
#include "runtime/methods/machine_costs.h"
#include "runtime/sampling/nearest_temperature.h"

namespace outrider::methods {
namespace {

using cost::DraftGrid;

/// The group's grid at the target's temperature.
DraftGrid read_grid(const MethodTarget& target, const artifacts::ArtifactSet& known,
                    const std::string& group) {
  return sampling::nearest_temperature(
      artifacts::read_ngrammys_grids(known.with(group)->reader(), group), target.temperature());
}

/// The grid with the smallest drafts among those of other machines.
std::optional<DraftGrid> others_grid(const MethodTarget& target,
                                     const artifacts::ArtifactSet& known) {
  std::optional<DraftGrid> smallest;
  for (const std::string& group : known.groups()) {
    if (!group.starts_with(artifacts::ngrammys_grid_group(""))) continue;
    DraftGrid grid = read_grid(target, known, group);
    if (!smallest ||
        grid.best_drafting().drafted_per_pass < smallest->best_drafting().drafted_per_pass)
      smallest = std::move(grid);
  }
  return smallest;
}

/// The grid with the speeds of this machine, as far as they are known.
std::optional<DraftGrid> grid_here(const MethodTarget& target,
                                   const artifacts::ArtifactSet& known) {
  const std::string here = artifacts::ngrammys_grid_group(target.engine().place().name);
  std::optional<DraftGrid> grid;
  if (known.with(here) != nullptr) {
    grid = read_grid(target, known, here);
    if (grid->threads == target.engine().workers()) return grid;
  } else {
    grid = others_grid(target, known);
  }
  if (!grid) return std::nullopt;
  const auto costs = machine_costs(target, known);
  return costs ? cost::priced(*grid, *costs) : grid;
}

}  // namespace

void resolve_shape(const MethodTarget& target, const artifacts::ArtifactSet& known,
                   std::optional<int>& drafts, std::optional<int>& draft_length) {
  if (drafts && draft_length) return;
  const std::optional<DraftGrid> grid = grid_here(target, known);
  const DraftGrid::Cell shape =
      grid ? grid->best_drafting() : DraftGrid::Cell{.drafts = 1, .draft_length = 1};
  drafts = drafts.value_or(shape.drafts);
  draft_length = draft_length.value_or(shape.draft_length);
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
  loaded.known = calibrated.known;
  return loaded;
}

void check_drafts(int drafts, int most) {
  if (drafts > most)
    throw InputError(fmt::format(
        "--drafts: found {}, but the table keeps {}; `calibrate ngrams --keep-top {}` makes more",
        drafts, most, drafts));
}

}  // namespace outrider::methods

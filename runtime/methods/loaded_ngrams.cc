#include "runtime/methods/loaded_ngrams.h"

#include <fmt/core.h>

#include <utility>

#include "runtime/artifacts/artifact_set.h"
#include "runtime/artifacts/ngrammys_group.h"
#include "runtime/base/error.h"
#include "runtime/methods/calibrated.h"
#include "runtime/methods/calibrated_trials.h"

namespace outrider::methods {

void resolve_shape(const MethodTarget& target, const std::string& artifacts, Method& method,
                   std::optional<int>& drafts, std::optional<int>* draft_length) {
  if (drafts && (draft_length == nullptr || *draft_length)) return;
  if (const auto found = find_calibrated_trials(
          target, {.method = "ngrammys", .identity = [] { return ""; }, .artifacts = artifacts}))
    found->fill(method, *found->best(method));
  drafts = drafts.value_or(1);
  if (draft_length != nullptr) *draft_length = draft_length->value_or(1);
}

LoadedNgrams load_ngrams(const MethodTarget& target, const std::string& method,
                         std::string& artifacts) {
  const Calibrated calibrated =
      find_calibrated(target, artifacts, artifacts::kNgrammys, "calibrate ngrammys");
  if (calibrated.file == nullptr)
    throw InputError(fmt::format(
        "--method {}: found no artifact file for {} in {} with its tables; `calibrate ngrammys -m "
        "{}` makes it, --artifacts names one elsewhere",
        method, target.identity().name, folders_text(target), target.model().path.string()));
  LoadedNgrams loaded;
  loaded.tables = target.load_once<draft::NgramTables>(
      artifacts, [&] { return artifacts::read_ngrammys(*calibrated.file); });
  loaded.known = calibrated.known;
  return loaded;
}

void check_drafts(int drafts, int most) {
  if (drafts > most)
    throw InputError(fmt::format(
        "--drafts: found {}, but the table keeps {}; `calibrate ngrammys --keep-top {}` makes more",
        drafts, most, drafts));
}

}  // namespace outrider::methods

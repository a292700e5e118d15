#include "runtime/methods/find_following.h"

#include <fmt/core.h>

#include "runtime/artifacts/followers.h"
#include "runtime/base/error.h"
#include "runtime/methods/calibrated.h"

namespace outrider::methods {
namespace {

/// The best of those tried (results/parallelspec.md, "Ranking by pair counts").
constexpr double kUsualWeight = 0.6;

}  // namespace

draft::Following find_following(const MethodTarget& target, const std::string& artifacts,
                                std::optional<double> weight) {
  if (weight == 0) return {};
  const auto known = known_artifacts(target, artifacts);
  const artifacts::ArtifactFile* const file = known->with(artifacts::kFollowers);
  if (file == nullptr) {
    if (!weight) return {};
    throw InputError(fmt::format(
        "--follow-weight: found no artifact file with {} for {}; `calibrate followers` makes it, "
        "or give 0",
        artifacts::kFollowers, target.identity().name));
  }
  return {target.load_once<draft::Followers>("followers " + file->reader().name(),
                                             [file] { return artifacts::read_followers(*file); }),
          weight.value_or(kUsualWeight)};
}

}  // namespace outrider::methods

#include "runtime/methods/find_following.h"

#include <fmt/core.h>

#include <utility>

#include "runtime/artifacts/followers.h"
#include "runtime/base/error.h"
#include "runtime/methods/calibrated.h"

namespace outrider::methods {
namespace {

/// The best of those tried (results/parallelspec.md, "Ranking by pair counts").
constexpr double kUsualWeight = 0.6;

}  // namespace

std::shared_ptr<const draft::Followers> find_followers(const MethodTarget& target,
                                                       const std::string& artifacts) {
  const auto known = known_artifacts(target, artifacts);
  const artifacts::ArtifactFile* const file = known->with(artifacts::kFollowers);
  if (file == nullptr) return nullptr;
  return target.load_once<draft::Followers>("followers " + file->reader().name(),
                                            [file] { return artifacts::read_followers(*file); });
}

draft::Following find_following(const MethodTarget& target, const std::string& artifacts,
                                std::optional<double> weight) {
  if (weight == 0) return {};
  auto followers = find_followers(target, artifacts);
  if (followers == nullptr) {
    if (!weight) return {};
    throw InputError(fmt::format(
        "--follow-weight: found no artifact file with {} for {}; `calibrate followers` makes it, "
        "or give 0",
        artifacts::kFollowers, target.identity().name));
  }
  return {std::move(followers), weight.value_or(kUsualWeight)};
}

}  // namespace outrider::methods

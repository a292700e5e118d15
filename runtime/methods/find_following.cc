#include "runtime/methods/find_following.h"

#include <fmt/core.h>

#include <utility>

#include "runtime/artifacts/followers_group.h"
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

std::shared_ptr<const draft::Followers> needed_followers(const MethodTarget& target,
                                                         const std::string& artifacts,
                                                         const std::string& flag) {
  auto followers = find_followers(target, artifacts);
  if (followers == nullptr)
    throw InputError(fmt::format(
        "{}: found no artifact file with {} for {}; `calibrate followers` makes it, or give 0",
        flag, artifacts::kFollowers, target.identity().name));
  return followers;
}

draft::Following find_following(const MethodTarget& target, const std::string& artifacts,
                                std::optional<double> weight) {
  if (weight == 0) return {};
  if (weight) return {needed_followers(target, artifacts, "--follow-weight"), *weight};
  auto followers = find_followers(target, artifacts);
  if (followers == nullptr) return {};
  return {std::move(followers), kUsualWeight};
}

}  // namespace outrider::methods

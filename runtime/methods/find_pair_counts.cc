#include "runtime/methods/find_pair_counts.h"

#include <fmt/core.h>

#include <utility>

#include "runtime/artifacts/pair_counts_group.h"
#include "runtime/base/error.h"
#include "runtime/methods/calibrated.h"

namespace outrider::methods {
namespace {

/// The best of those tried (results/parallelspec.md, "Ranking by pair counts").
constexpr double kUsualWeight = 0.6;

}  // namespace

std::shared_ptr<const draft::PairCounts> find_pair_counts(const MethodTarget& target,
                                                          const std::string& artifacts) {
  const auto known = known_artifacts(target, artifacts);
  const artifacts::ArtifactFile* const file = known->with(artifacts::kPairCounts);
  if (file == nullptr) {
    // What the group was called before.
    if (const artifacts::ArtifactFile* const earlier = known->with("/followers"))
      earlier->reader().refuse(
          "/followers",
          "is of an earlier version, which is not read; `calibrate pair-counts` makes it anew");
    return nullptr;
  }
  return target.load_once<draft::PairCounts>("pair counts of " + file->reader().name(),
                                             [file] { return artifacts::read_pair_counts(*file); });
}

std::shared_ptr<const draft::PairCounts> needed_pair_counts(const MethodTarget& target,
                                                            const std::string& artifacts,
                                                            const std::string& flag) {
  auto counts = find_pair_counts(target, artifacts);
  if (counts == nullptr)
    throw InputError(fmt::format(
        "{}: found no artifact file with {} for {}; `calibrate pair-counts` makes it, or give 0",
        flag, artifacts::kPairCounts, target.identity().name));
  return counts;
}

draft::PairWeights find_pair_weights(const MethodTarget& target, const std::string& artifacts,
                                     std::optional<double> weight) {
  if (weight == 0) return {};
  if (weight) return {needed_pair_counts(target, artifacts, "--follow-weight"), *weight};
  auto counts = find_pair_counts(target, artifacts);
  if (counts == nullptr) return {};
  return {std::move(counts), kUsualWeight};
}

}  // namespace outrider::methods

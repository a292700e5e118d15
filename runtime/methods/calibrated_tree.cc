#include "runtime/methods/calibrated_tree.h"

#include "runtime/artifacts/parallel.h"
#include "runtime/artifacts/tree_settings.h"
#include "runtime/methods/loaded_parallel.h"

namespace outrider::methods {

std::optional<CalibratedTree> find_calibrated_tree(const MethodTarget& target,
                                                   draft::ParallelModel::Flavour flavour,
                                                   const std::string& draft,
                                                   const std::string& artifacts) {
  DraftModelSearch search(
      target, draft, artifacts, artifacts::parallel_group(flavour), [&, flavour](int threads) {
        std::string file = draft, same = draft;
        return drafter_to_time(load_parallel(target, flavour, file, same, threads));
      });
  return find_calibrated_trials(
      target, search, artifacts::tree_settings_kind(flavour), artifacts::read_tree_settings,
      [&](const cost::MachineTreeSettings& one) {
        return one.nearest(target.temperature()).best()->drafted_per_round();
      });
}

}  // namespace outrider::methods

#include "calibrate/studies/study_trials.h"

#include "runtime/artifacts/cost_group.h"
#include "runtime/artifacts/drafting_cost_group.h"
#include "runtime/artifacts/trials_group.h"

namespace outrider::calibrate {

cost::DraftingCost without_passes(const engine::Engine& target, const PassCosts& costs) {
  return {.numerics = target.numerics_name(),
          .isa = target.place().unit,
          .threads = target.workers(),
          .passes = costs.timed};
}

void check_trials_files(const StudyFiles& files, const artifacts::TargetIdentity& target,
                        const std::string& machine, const std::string& method) {
  for (const std::string& group : {artifacts::trials_group(method), artifacts::cost_group(machine)})
    files.file_of(target, group);
}

std::set<std::filesystem::path> write_trials(const StudyFiles& files,
                                             const artifacts::TargetIdentity& target,
                                             const MadeBy& how,
                                             const std::map<std::string, cost::Trials>& by_method,
                                             const cost::DraftingCost& drafting,
                                             const std::string& named) {
  std::set<std::filesystem::path> paths;
  for (const auto& [method, trials] : by_method) {
    if (trials.by_temperature.empty()) continue;
    paths.insert(
        files.write_beside(target, artifacts::trials_group(method, named), how,
                           [&, &tried = trials](hdf5::Writer& file, const std::string& group) {
                             artifacts::write_trials(tried, file, group);
                           }));
    paths.insert(files.write_beside(
        target, artifacts::drafting_cost_group(how.place.name, method, named), how,
        [&](hdf5::Writer& file, const std::string& group) {
          artifacts::write_drafting_cost(drafting, file, group);
        },
        artifacts::cost_group(how.place.name)));
  }
  return paths;
}

}  // namespace outrider::calibrate

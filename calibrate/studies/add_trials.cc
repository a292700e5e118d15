#include "calibrate/studies/add_trials.h"

#include <fmt/core.h>

#include <system_error>

#include "runtime/artifacts/replace_group.h"
#include "runtime/artifacts/trials_group.h"
#include "runtime/base/error.h"

namespace outrider::calibrate {
namespace {

std::vector<artifacts::ArtifactFile> files_to_add(const std::vector<std::string>& paths,
                                                  const artifacts::ArtifactFile& file,
                                                  const std::filesystem::path& path) {
  std::vector<artifacts::ArtifactFile> others;
  for (const std::string& other : paths) {
    std::error_code none;
    if (std::filesystem::equivalent(other, path, none))
      throw InputError(fmt::format("--add {}: expected other files than {}", other, path.string()));
    others.emplace_back(std::filesystem::path(other)).check_made_for(file.target());
  }
  return others;
}

/// Adds another file's trials of a method and a drafter, whether its calibration was given the drafter's name or found it as
/// the target's own. @return the group that has them; empty: none
std::string add_trials_of(const artifacts::ArtifactFile& other, const std::string& group,
                          const std::string& into, cost::Trials& sum) {
  const std::string method = artifacts::method_of_trials(group);
  const std::string& name = other.reader().name();
  bool is_of_another = false;  // what stands in the group of the same name
  for (const std::string& one :
       {group, artifacts::trials_group(method), artifacts::trials_group(method, sum.drafter)}) {
    if (!other.has(one)) continue;
    const cost::Trials more = artifacts::read_trials(other.reader(), one);
    if (more.drafter != sum.drafter) {
      is_of_another = is_of_another || one == group;
      continue;
    }
    sum = cost::sum_of(sum, more);
    if (sum.by_temperature.empty())
      throw InputError(fmt::format(
          "--add {}: {}: expected a setting at a temperature that was tried for {} too, found none",
          name, one, into));
    return one;
  }
  if (is_of_another)
    throw InputError(
        fmt::format("--add {}: {} is of another drafter than that of {}", name, group, into));
  return "";
}

}  // namespace

std::vector<AddedTrials> add_trials(const std::filesystem::path& path,
                                    const std::vector<std::string>& others,
                                    const std::string& resolved) {
  const artifacts::ArtifactFile file(path);
  artifacts::checked_file_to_write(path, {}, file.target(), artifacts::kTrials);
  const std::vector<artifacts::ArtifactFile> more = files_to_add(others, file, path);
  std::vector<AddedTrials> all;
  for (const std::string& group : file.groups()) {
    if (!artifacts::is_trials_group(group)) continue;
    cost::Trials sum = artifacts::read_trials(file.reader(), group);
    artifacts::Provenance how = artifacts::read_provenance(file.reader(), group);
    how.command = "calibrate merge";
    how.options = resolved;
    how.seed = 0;
    int added = 0;
    for (const artifacts::ArtifactFile& other : more) {
      const std::string found = add_trials_of(other, group, path.string(), sum);
      if (found.empty()) continue;
      const artifacts::Provenance its = artifacts::read_provenance(other.reader(), found);
      how.traces += "; " + its.traces;
      if (how.place.find(its.place) == std::string::npos) how.place += "; " + its.place;
      ++added;
    }
    if (added == 0) continue;
    artifacts::replace_group(
        path, file.target(), group, how,
        [&](hdf5::Writer& to, const std::string& name) { artifacts::write_trials(sum, to, name); });
    for (const cost::TemperatureTrials& one : sum.by_temperature)
      all.push_back({group, one.temperature, one.trials.size(), one.positions});
  }
  if (all.empty())
    throw InputError(fmt::format(
        "--add: expected files with trials of methods that {} has trials of, found none",
        path.string()));
  return all;
}

}  // namespace outrider::calibrate

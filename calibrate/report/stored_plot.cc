#include "calibrate/report/stored_plot.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <vector>

#include "calibrate/report/cost_plot.h"
#include "calibrate/report/ngrammys_report.h"
#include "calibrate/report/pld_plus_plots.h"
#include "calibrate/report/trials_plot.h"
#include "runtime/artifacts/cost_group.h"
#include "runtime/artifacts/pld_plus_group.h"
#include "runtime/artifacts/trials_group.h"
#include "runtime/artifacts/trials_in_group.h"
#include "runtime/base/error.h"

namespace outrider::calibrate {
namespace {

using StoredPlot = std::function<std::string(const hdf5::Reader& file, const std::string& group)>;

/// How a group is drawn; nothing for one that no picture shows.
StoredPlot plot_for(const std::string& group) {
  if (group == artifacts::kPldPlusHeads)
    return [](const auto& file, const auto& name) {
      return plot_of(artifacts::read_pld_plus_heads(file, name));
    };
  if (group == artifacts::kPldPlusLayer)
    return [](const auto& file, const auto& name) {
      return plot_of(artifacts::read_pld_plus_layer(file, name));
    };
  if (group == kNgrammysFigures)
    return [](const auto& file, const auto& name) {
      return plot_of(read_ngrammys_figures(file, name));
    };
  if (const auto trials = artifacts::trials_in(group))
    return [path = trials->path](const auto& file, const auto& /*name*/) {
      return plot_of(artifacts::read_trials(file, path));
    };
  if (artifacts::is_cost_group(group))
    return [](const auto& file, const auto& name) {
      return plot_of(artifacts::read_cost(file, name));
    };
  return nullptr;
}

}  // namespace

std::string stored_plot(const artifacts::ArtifactSet& known, const std::string& group) {
  const artifacts::ArtifactFile* const file = known.with(group);
  const StoredPlot plot = plot_for(group);
  if (file != nullptr && plot != nullptr) return plot(file->reader(), group);
  std::vector<std::string> drawable;
  for (const std::string& other : known.groups())
    if (plot_for(other) != nullptr) drawable.push_back(other);
  throw InputError(fmt::format("--group: expected one of {}; found {}",
                               drawable.empty() ? "none, as nothing was calibrated"
                                                : fmt::format("{}", fmt::join(drawable, ", ")),
                               group));
}

}  // namespace outrider::calibrate

#include "train/run/drafter_result.h"

#include <fmt/core.h>

#include "train/run/recipe_values.h"

namespace outrider::train {

DrafterResult::DrafterResult(const TrainingRun& run, const std::string& group)
    : run_(run),
      target_(artifacts::identity_of(run.target())),
      group_(group),
      path_(artifacts::checked_file_to_write(run.options().artifacts,
                                             run.options().artifact_folders, target_, group)) {}

const std::filesystem::path& DrafterResult::write(const std::string& command,
                                                  const UsedOptions& used,
                                                  const artifacts::FillGroup& fill) const {
  artifacts::replace_group(path_, target_, group_,
                           {.command = command,
                            .options = recipe(used),
                            .seed = run_.options().training.seed,
                            .traces = run_.traces_identity(),
                            .place = run_.place()},
                           fill);
  return path_;
}

std::string DrafterResult::recipe(const UsedOptions& used) const {
  std::string recipe = run_.options().finish ? run_.checkpoint().recipe : run_.options().recipe;
  for (const auto& [option, value] : used)
    if (recipe.find(fmt::format("\n{} = ", option)) != std::string::npos)
      set_value(recipe, option, '"' + value + '"');
  return recipe;
}

}  // namespace outrider::train

#include "train/run/drafter_result.h"

#include "train/run/recipe_values.h"

namespace outrider::train {

DrafterResult::DrafterResult(const TrainingRun& run, const std::string& group)
    : run_(run),
      target_(artifacts::identity_of(run.target())),
      group_(group),
      path_(artifacts::checked_file_to_write(run.options().artifacts,
                                             run.options().artifact_folders, target_, group)) {}

const std::filesystem::path& DrafterResult::write(const std::string& command,
                                                  const std::string& quantise,
                                                  const artifacts::FillGroup& fill) const {
  artifacts::replace_group(
      path_, target_, group_,
      {command, recipe(quantise), run_.options().training.seed, run_.traces_identity(), {}, {}},
      fill);
  return path_;
}

std::string DrafterResult::recipe(const std::string& quantise) const {
  if (!run_.options().finish) return run_.options().recipe;
  std::string recipe = run_.checkpoint().recipe;
  if (recipe.find("\nquantise = ") == std::string::npos) return recipe;
  set_value(recipe, "quantise", '"' + quantise + '"');
  return recipe;
}

}  // namespace outrider::train

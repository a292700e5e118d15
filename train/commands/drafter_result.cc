#include "train/commands/drafter_result.h"

#include "runtime/artifacts/replace_group.h"
#include "runtime/base/log.h"

namespace outrider::train {

DrafterResult::DrafterResult(const TrainingRun& run, const TrainingFlags& flags,
                             const std::string& group)
    : run_(run),
      flags_(flags),
      target_(artifacts::identity_of(run.target())),
      group_(group),
      path_(artifacts::claim_file_to_write(flags.artifacts, target_, group)) {}

void DrafterResult::write(const std::string& command, const std::string& quantise,
                          const artifacts::FillGroup& fill) const {
  artifacts::replace_group(
      path_, target_, group_,
      {command, recipe(quantise), flags_.training.seed, run_.traces_identity(), {}, {}}, fill);
  if (!flags_.quiet) print_log("written to {}\n", path_.string());
}

std::string DrafterResult::recipe(const std::string& quantise) const {
  if (!flags_.finish) return flags_.resolved;
  std::string recipe = run_.checkpoint().recipe;
  if (recipe.find("\nquantise = ") == std::string::npos) return recipe;
  set_value(recipe, "quantise", '"' + quantise + '"');
  return recipe;
}

}  // namespace outrider::train

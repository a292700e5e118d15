#include "train/run/recipe_values.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "runtime/base/error.h"

namespace outrider::train {
namespace {

/// What --finish uses; of --start-from the weights were compared.
const std::set<std::string> kUsedByFinish = {
    "model",  "work",  "metrics",    "artifacts", "quantise", "head",   "threads",
    "finish", "quiet", "start-from", "config",    "out",      "device", "ctx"};

/// What each start of a run has for itself; and the preset, whose values a recipe has.
const std::set<std::string> kOfAStart = {"work",
                                         "metrics",
                                         "artifacts",
                                         "out",
                                         "cache",
                                         "cache-only",
                                         "finish",
                                         "workers",
                                         "exchange",
                                         "workers-timeout",
                                         "mixed-arithmetic",
                                         "device",
                                         "threads",
                                         "start-from",
                                         "patience",
                                         "minutes",
                                         "checkpoint-minutes",
                                         "quiet",
                                         "preset"};

/// The value of an option; nothing where it has none.
std::optional<std::string> value_in(const std::string& recipe, const std::string& option) {
  const std::string key = "\n" + option + " = ";
  const std::size_t line = recipe.find(key);
  if (line == std::string::npos) return std::nullopt;
  const std::size_t value = line + key.size();
  return recipe.substr(value, recipe.find('\n', value) - value);
}

}  // namespace

void set_value(std::string& recipe, const std::string& option, const std::string& value) {
  if (recipe.empty()) return;
  std::size_t line = recipe.find("\n" + option + " = ");
  if (line == std::string::npos) line = recipe.find("\n# " + option + " =");
  if (line == std::string::npos) throw std::logic_error("set_value: no option " + option);
  const std::size_t begin = line + 1;
  const std::size_t end = std::min(recipe.find('\n', begin), recipe.size());
  recipe.replace(begin, end - begin, value.empty() ? "# " + option + " =" : option + " = " + value);
}

std::string recipe_of_run(std::string recipe) {
  for (const std::string& option : kOfAStart)
    if (value_in(recipe, option)) set_value(recipe, option, "");
  return recipe;
}

void check_finish(const RunOptions& options, const std::string& trained) {
  for (const std::string& option : options.given) {
    if (kUsedByFinish.count(option) > 0) continue;
    const auto now = value_in(options.recipe, option), before = value_in(trained, option);
    if (now == before) continue;
    throw InputError(
        fmt::format("--{}: not with --finish, which does not train: the run in {} was trained with "
                    "{}, found {}; leave it out",
                    option, options.work, before.value_or("none"), now.value_or("none")));
  }
}

}  // namespace outrider::train

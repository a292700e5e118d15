#pragma once

#include <string>

#include "train/run/run_options.h"

namespace outrider::train {

// A recipe has all options of a run as TOML, one a line.

/// Notes the value that an option has after all, as TOML, or, empty, that it has none.
/// @param recipe  must have the option; an empty one stays so
void set_value(std::string& recipe, const std::string& option, const std::string& value);

/// What belongs to a run of a recipe, and not to one start of it: without its files, its machine and when it ends.
std::string recipe_of_run(std::string recipe);

/// With --finish nothing is trained: what is given about training is what the checkpoint was trained with.
/// @param trained  the recipe of the checkpoint
/// @throws InputError naming the first option that differs
void check_finish(const RunOptions& options, const std::string& trained);

}  // namespace outrider::train

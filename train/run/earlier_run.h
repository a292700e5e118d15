#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/model/model.h"
#include "train/checkpoints/checkpoint.h"

namespace outrider::train {

/// Whether --start-from names a run of training, by its checkpoint or its folder, and not an artifact file.
bool names_run(const std::filesystem::path& path);

/// The run that --start-from names.
/// @param objective  what it trained, as its identity has it: "draft", "parallelspec"
/// @throws InputError for a run of another objective or target
Checkpoint read_earlier_run(const std::filesystem::path& path, const model::Model& target,
                            const std::string& objective);

/// A hash of the best weights of a run.
std::string hash_of_best(const std::vector<SavedParameter>& parameters);

}  // namespace outrider::train

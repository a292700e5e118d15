#pragma once

#include <chrono>
#include <filesystem>
#include <string>

namespace outrider::train {

/// Finds the workers of this start in a folder that all share, in which those of starts that were killed have left files.
/// Each writes a name of its own that nobody had before; worker 0 answers with these names and with that of a new file,
/// and begins anew until every worker has said that it read the answer.
/// @return the file, which does not exist yet and is the same for all
/// @throws TryAgain naming the workers that did not come in time; InputError where the folder cannot be written
std::filesystem::path meet_in_folder(const std::filesystem::path& folder, int rank, int count,
                                     std::chrono::milliseconds timeout);

}  // namespace outrider::train

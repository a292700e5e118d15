#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

namespace outrider::train {

/// Finds the workers of this start in a folder that all share, in which those of starts that were killed have left files.
/// Each writes a name of its own that nobody had before; worker 0 answers with these names and with that of a new file,
/// and begins anew until every worker has said that it read the answer.
/// @param interrupted  asked while it waits; empty: nothing ends it
/// @return the file, which does not exist yet and is the same for all
/// @throws TryAgain naming the workers that did not come in time; InputError where the folder cannot be written;
///         Interrupted
std::filesystem::path meet_in_folder(const std::filesystem::path& folder, int rank, int count,
                                     std::chrono::milliseconds timeout,
                                     const std::function<bool()>& interrupted = {});

}  // namespace outrider::train

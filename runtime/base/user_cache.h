#pragma once

#include <filesystem>

namespace outrider {

/// The folder of what programs keep for themselves and can make again: "outrider" in $XDG_CACHE_HOME, or in
/// .cache of the home folder (XDG Base Directory Specification 0.8). It need not exist.
/// @return empty where neither variable holds an absolute path
std::filesystem::path user_cache_folder();

}  // namespace outrider
